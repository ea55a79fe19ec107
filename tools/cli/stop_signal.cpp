#include "tools/cli/stop_signal.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <thread>

#include "reward/reward_function.h"
#include "sim/base/file_io.h"

namespace lapforge::cli {
namespace {

constexpr timespec kPatience = {1, 0};
constexpr std::string_view kAnswer =
    "lapforge: stopping and saving; press Ctrl-C again to quit at once\n";
constexpr std::string_view kClearLine = "\r\033[K";  // the live line of a training
constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> stop_requested = false;
std::atomic<bool> is_flag_watched = false;
std::atomic<int> received_signal = 0;

bool IsIgnored(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

// Only unlink, getpid, lock-free atomics, signal and raise: all that a signal handler may use.
void Quit(int signal) {
  RemoveTemporaries();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

[[noreturn]] void QuitWith(int exit_code) {
  RemoveTemporaries();
  std::_Exit(exit_code);
}

// Past the stream, which another thread may hold.
void Say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(fileno(stderr), text.data(), text.size());
}

void Stop(int signal) {
  if (stop_requested) QuitWith(128 + signal);
  received_signal = signal;
  stop_requested = true;
  if (isatty(fileno(stderr)) == 1) Say(kClearLine);
  Say(kAnswer);
}

// The life of the thread. A user's function that does not come back is interrupted every second.
[[noreturn]] void WaitForSignals(const sigset_t& signals) {
  bool was_interrupted = false;
  for (;;) {
    const int signal = stop_requested ? sigtimedwait(&signals, nullptr, &kPatience)
                                      : sigwaitinfo(&signals, nullptr);
    if (signal > 0) {
      Stop(signal);
    } else if (stop_requested) {
      if (was_interrupted && !is_flag_watched) QuitWith(ExitCodeAfterStop(kInterrupted));
      reward::InterruptPython();
      was_interrupted = true;
    }
  }
}

}  // namespace

void RemoveTemporariesOnSignals() {
  for (const int signal : kStopSignals) {
    if (!IsIgnored(signal)) std::signal(signal, Quit);
  }
}

// No handlers: a user's code may replace those, or ignore what they are for.
void InstallStopSignal() {
  sigset_t signals;
  sigset_t all;
  sigemptyset(&signals);
  sigfillset(&all);
  for (const int signal : kStopSignals) {
    // a shell starts its background jobs with SIGINT ignored, but kill -INT is meant
    if (signal != SIGHUP || !IsIgnored(signal)) sigaddset(&signals, signal);
  }
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(WaitForSignals, signals).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // of a user's code that has set a clock and no handler
  for (const int signal : {SIGALRM, SIGVTALRM, SIGPROF}) std::signal(signal, SIG_IGN);
}

const std::atomic<bool>& StopFlag() {
  is_flag_watched = true;
  return stop_requested;
}

ExitCode ExitCodeAfterStop(ExitCode otherwise) {
  switch (received_signal) {
    case SIGINT:
      return kInterrupted;
    case SIGTERM:
    case SIGHUP:
      return kPreempted;
    default:
      return otherwise;
  }
}

}  // namespace lapforge::cli
