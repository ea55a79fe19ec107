#include "tools/cli/stop_signal.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "reward/reward_function.h"

namespace lapforge::cli {
namespace {

constexpr unsigned kPatienceS = 1;  // an iteration looks at the flag many times a second
constexpr std::string_view kAnswer =
    "lapforge: stopping and saving; press Ctrl-C again to quit at once\n";
constexpr std::string_view kClearLine = "\r\033[K";  // the live line of a training

std::atomic<bool> stop_requested = false;
std::atomic<int> received_signal = 0;
std::atomic<bool> is_terminal = false;

void Say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

// Only lock-free atomics, write, alarm and _Exit: all that a signal handler may use.
void OnSignal(int signal) {
  if (stop_requested.exchange(true)) std::_Exit(128 + signal);
  received_signal = signal;
  if (is_terminal) Say(kClearLine);
  Say(kAnswer);
  alarm(kPatienceS);
}

void OnAlarm(int) { reward::InterruptPython(); }

}  // namespace

const std::atomic<bool>& InstallStopSignal() {
  is_terminal = isatty(STDERR_FILENO) == 1;
  std::signal(SIGALRM, OnAlarm);
  std::signal(SIGINT, OnSignal);
  std::signal(SIGTERM, OnSignal);
  // a closed terminal, but for who asked to outlive it (nohup)
  if (std::signal(SIGHUP, OnSignal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  return stop_requested;
}

int ReceivedStopSignal() { return received_signal; }

}  // namespace lapforge::cli
