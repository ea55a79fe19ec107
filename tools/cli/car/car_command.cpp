// lapforge car: the table of its commands and nothing else.
#include "tools/cli/car/car_commands.h"
#include "tools/cli/command.h"

namespace lapforge::cli {
namespace {

constexpr Command kCarCommands[] = {
    {"list", "the built-in cars", RunCarListCommand},
    {"show", "what a car can do, and its description", RunCarShowCommand},
};

}  // namespace

int RunCarCommand(int argc, char** argv) {
  return Dispatch("car", "Cars: built-in ones and files.", kCarCommands, "", argc, argv);
}

}  // namespace lapforge::cli
