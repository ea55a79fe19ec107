// The commands of `lapforge reward`: one file each, one row of the table in reward_command.cpp
// each.
#pragma once

namespace lapforge::cli {

// As Command::run.
int RunRewardCheckCommand(int argc, char** argv);
int RunRewardKeysCommand(int argc, char** argv);
int RunRewardReplayCommand(int argc, char** argv);

}  // namespace lapforge::cli
