#include "tools/cli/stop_signal.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "reward/reward_function.h"
#include "sim/base/file_io.h"

namespace lapforge::cli {
namespace {

constexpr unsigned kPatienceS = 1;
constexpr std::string_view kAnswer =
    "lapforge: stopping and saving; press Ctrl-C again to quit at once\n";
constexpr std::string_view kClearLine = "\r\033[K";  // the live line of a training

std::atomic<bool> stop_requested = false;
std::atomic<bool> is_flag_watched = false;
std::atomic<bool> was_interrupted = false;  // the user's reward function
std::atomic<int> received_signal = 0;
std::atomic<bool> is_terminal = false;

void Say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

// Only lock-free atomics, getpid, unlink, write, signal, raise, alarm and _Exit: all that a signal
// handler may use.
void Quit(int signal) {
  RemoveTemporaries();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void OnSignal(int signal) {
  if (stop_requested.exchange(true)) {
    RemoveTemporaries();
    std::_Exit(128 + signal);
  }
  received_signal = signal;
  if (is_terminal) Say(kClearLine);
  Say(kAnswer);
  alarm(kPatienceS);
}

void OnAlarm(int) {
  reward::InterruptPython();
  if (is_flag_watched) return;
  if (was_interrupted.exchange(true)) {
    RemoveTemporaries();
    std::_Exit(ExitCodeAfterStop(kInterrupted));
  }
  alarm(kPatienceS);
}

// But for who asked to outlive it (nohup).
void Install(int signal, void (*handler)(int)) {
  if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace

void RemoveTemporariesOnSignals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) Install(signal, Quit);
}

void InstallStopSignal() {
  is_terminal = isatty(STDERR_FILENO) == 1;
  std::signal(SIGALRM, OnAlarm);
  std::signal(SIGINT, OnSignal);
  std::signal(SIGTERM, OnSignal);
  Install(SIGHUP, OnSignal);
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
