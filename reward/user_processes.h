// Processes that a user's code starts do not outlive the program.
#pragma once

namespace lapforge::reward {

/// From now on all processes that this one starts, and those that they start, become its children
/// when their parents end, so that EndProcesses finds them.
void AdoptProcesses();

/// Kills and reaps all children of this process, and theirs.
void EndProcesses();

}  // namespace lapforge::reward
