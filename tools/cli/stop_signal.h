// Ctrl-C and SIGTERM as a flag: the first asks for a clean stop, a second Ctrl-C ends at once.
#pragma once

#include <atomic>

namespace lapforge::cli {

// Installs the handlers; the flag turns true at the first signal, which is answered with a line on
// stderr. A user's reward function that is still running a second later is interrupted.
const std::atomic<bool>& InstallStopSignal();

// The signal that came, or 0.
int ReceivedStopSignal();

}  // namespace lapforge::cli
