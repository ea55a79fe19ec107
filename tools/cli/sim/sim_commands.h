// The commands of `lapforge sim`: one file each, one row of the table in sim_command.cpp each.
#pragma once

namespace lapforge::cli {

// As Command::run.
int RunSimDriveCommand(int argc, char** argv);
int RunSimFrameCommand(int argc, char** argv);

}  // namespace lapforge::cli
