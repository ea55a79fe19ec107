// The commands of `lapforge track`: one file each, one row of the table in track_command.cpp each.
#pragma once

namespace lapforge::cli {

// As Command::run.
int RunTrackExportCommand(int argc, char** argv);
int RunTrackGenerateCommand(int argc, char** argv);
int RunTrackImportCommand(int argc, char** argv);
int RunTrackListCommand(int argc, char** argv);
int RunTrackRacelineCommand(int argc, char** argv);
int RunTrackShowCommand(int argc, char** argv);
int RunTrackTextureCommand(int argc, char** argv);
int RunTrackCheckCommand(int argc, char** argv);

}  // namespace lapforge::cli
