// lapforge reward: the table of its commands and nothing else.
#include "tools/cli/reward/reward_commands.h"

#include "tools/cli/command.h"

namespace lapforge::cli {
namespace {

constexpr Command kRewardCommands[] = {
    {"check", "try a reward function on real laps before training", RunRewardCheckCommand},
    {"keys", "list what a reward function is given", RunRewardKeysCommand},
    {"replay", "what a reward would have paid for recorded laps", RunRewardReplayCommand},
};

}  // namespace

int RunRewardCommand(int argc, char** argv) {
  return Dispatch("reward", "Reward functions, without training.", kRewardCommands, "", argc, argv);
}

}  // namespace lapforge::cli
