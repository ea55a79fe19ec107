// lapforge track: the table of its commands and nothing else.
#include "tools/cli/command.h"
#include "tools/cli/track/track_commands.h"

namespace lapforge::cli {
namespace {

constexpr Command kTrackCommands[] = {
    {"list", "the built-in tracks", RunTrackListCommand},
    {"show", "draw a track and describe it", RunTrackShowCommand},
    {"check", "what is wrong with a track file, and a mended copy", RunTrackCheckCommand},
    {"import", "read a track file of another program", RunTrackImportCommand},
    {"export", "write a track for another program", RunTrackExportCommand},
    {"generate", "make new tracks from a seed", RunTrackGenerateCommand},
    {"raceline", "find the fastest line and its lap time", RunTrackRacelineCommand},
    {"texture", "paint the ground that cameras see", RunTrackTextureCommand},
};

}  // namespace

int RunTrackCommand(int argc, char** argv) {
  return Dispatch("track", "Tracks: built-in ones and files.", kTrackCommands, "", argc, argv);
}

}  // namespace lapforge::cli
