#include "tools/cli/stop_signal.h"

#include <csignal>
#include <cstdlib>

namespace lapforge::cli {
namespace {

std::atomic<bool> stop_requested = false;
std::atomic<int> received_signal = 0;

// Only lock-free atomics and _Exit: all that a signal handler may use.
void OnSignal(int signal) {
  if (stop_requested.exchange(true)) std::_Exit(128 + signal);
  received_signal = signal;
}

}  // namespace

const std::atomic<bool>& InstallStopSignal() {
  std::signal(SIGINT, OnSignal);
  std::signal(SIGTERM, OnSignal);
  return stop_requested;
}

int ReceivedStopSignal() { return received_signal; }

}  // namespace lapforge::cli
