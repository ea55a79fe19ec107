// Ctrl-C, SIGTERM and SIGHUP as a flag: the first asks for a clean stop, a second ends at once.
#pragma once

#include <atomic>

namespace lapforge::cli {

// A thread waits for the signals from now on, whatever a user's code does to signal handlers; call
// it before there are other threads. The flag turns true at the first signal, which is answered
// with a line on stderr. A user's reward function that is still running a second later is
// interrupted.
const std::atomic<bool>& InstallStopSignal();

// The signal that came, or 0.
int ReceivedStopSignal();

}  // namespace lapforge::cli
