// What a user's code does to the process does not outlive it.
#pragma once

namespace lapforge::reward {

/// From now on all processes that this one starts, and those that they start, become its children
/// when their parents end, so that EndProcesses finds them.
void AdoptProcesses();

/// Kills and reaps all children of this process, and theirs.
void EndProcesses();

/// Before the first reward is made: where a user's Python file crashes this process, a line on
/// stderr says so, and where.
void TellCrashes();

/// While one lives, the process is the user's code's; then it is the program's again. Of folder,
/// environment variables and locale each finds its own, as it left them. Signals, umask, limits and
/// rounding are put back for good; standard descriptors that were closed are opened on nothing.
/// From the first turn on, what the program prints goes through descriptors that such code does not
/// meet. Takes some 50 us; a turn within a turn does nothing. For the main thread.
class UserTurn {
 public:
  UserTurn();
  ~UserTurn();
  UserTurn(const UserTurn&) = delete;
  UserTurn& operator=(const UserTurn&) = delete;
};

}  // namespace lapforge::reward
