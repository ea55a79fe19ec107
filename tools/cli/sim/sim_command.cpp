// lapforge sim: the table of its commands and nothing else.
#include "tools/cli/sim/sim_commands.h"

#include "tools/cli/command.h"

namespace lapforge::cli {
namespace {

constexpr Command kSimCommands[] = {
    {"drive", "drive laps with the built-in driver", RunSimDriveCommand},
    {"frame", "a picture of what the car's camera sees", RunSimFrameCommand},
};

}  // namespace

int RunSimCommand(int argc, char** argv) {
  return Dispatch("sim", "The simulator without a learner.", kSimCommands, "", argc, argv);
}

}  // namespace lapforge::cli
