// Ctrl-C, SIGTERM and a closed terminal: an end at once that leaves nothing half-written, or a flag
// that asks for a clean one.
#pragma once

#include <atomic>

#include "tools/cli/command.h"

namespace lapforge::cli {

// From now on these signals end the program as they always do, after its half-written files are
// removed. Those that are ignored (nohup) stay so.
void RemoveTemporariesOnSignals();

// From now on a thread waits for these signals, whatever a user's code does to signal handlers;
// call it before there are other threads. The first signal is answered with a line on stderr and
// asks for a clean stop; a second one ends at once. A user's reward function that is still running
// a second later is interrupted; another second later the program ends, unless somebody looks at
// StopFlag().
void InstallStopSignal();

// True from the first signal on. Whoever takes the flag looks at it from now on, many times a
// second.
const std::atomic<bool>& StopFlag();

// Of a command that a signal stopped; `otherwise` where none came.
ExitCode ExitCodeAfterStop(ExitCode otherwise);

}  // namespace lapforge::cli
