// The commands of `lapforge car`: one row of the table in car_command.cpp each.
#pragma once

namespace lapforge::cli {

// As Command::run.
int RunCarListCommand(int argc, char** argv);
int RunCarShowCommand(int argc, char** argv);

}  // namespace lapforge::cli
