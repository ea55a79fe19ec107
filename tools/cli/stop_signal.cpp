#include "tools/cli/stop_signal.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <thread>

#include "reward/reward_function.h"

namespace lapforge::cli {
namespace {

constexpr timespec kPatience = {1, 0};  // an iteration looks at the flag many times a second
constexpr std::string_view kAnswer =
    "lapforge: stopping and saving; press Ctrl-C again to quit at once\n";
constexpr std::string_view kClearLine = "\r\033[K";  // the live line of a training

std::atomic<bool> stop_requested = false;
std::atomic<int> received_signal = 0;

// Past the stream, which another thread may hold.
void Say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(fileno(stderr), text.data(), text.size());
}

void OnSignal(int signal) {
  if (stop_requested) std::_Exit(128 + signal);
  received_signal = signal;
  stop_requested = true;
  if (isatty(fileno(stderr)) == 1) Say(kClearLine);
  Say(kAnswer);
}

// The life of the thread. A user's function that does not come back is interrupted every second.
[[noreturn]] void WaitForSignals(const sigset_t& signals) {
  for (;;) {
    const int signal = stop_requested ? sigtimedwait(&signals, nullptr, &kPatience)
                                      : sigwaitinfo(&signals, nullptr);
    if (signal > 0) {
      OnSignal(signal);
    } else if (stop_requested) {
      reward::InterruptPython();
    }
  }
}

// As for programs behind nohup.
bool IsIgnored(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

// No handlers: a user's code may replace those, or ignore what they are for.
bool StartWaiting() {
  sigset_t signals;
  sigset_t all;
  sigemptyset(&signals);
  sigfillset(&all);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&signals, signal);
  if (!IsIgnored(SIGHUP)) sigaddset(&signals, SIGHUP);  // a closed terminal
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(WaitForSignals, signals).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // of a user's code that has set a clock and no handler
  for (const int signal : {SIGALRM, SIGVTALRM, SIGPROF}) std::signal(signal, SIG_IGN);
  return true;
}

}  // namespace

const std::atomic<bool>& InstallStopSignal() {
  [[maybe_unused]] static const bool is_waiting = StartWaiting();
  return stop_requested;
}

int ReceivedStopSignal() { return received_signal; }

}  // namespace lapforge::cli
