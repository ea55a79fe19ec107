// lapforge track list, lapforge track show.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/cli/command.h"
#include "tools/cli/track/track_commands.h"
#include "tools/cli/track/track_summary.h"
#include "tracks/track_files.h"
#include "tracks/track_picture.h"

namespace lapforge::cli {
namespace {

struct ShowArguments {
  std::string track;
  std::string picture_path;
  int width_px = 1600;
  bool is_reversed = false;
  bool is_json = false;
};

Result<void> List(bool is_json) {
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& name : tracks::BuiltInTrackNames()) {
    LAPFORGE_TRY(const tracks::Track track, tracks::LoadBuiltInTrack(name));
    const TrackSummary summary = Summarize(track);
    all.push_back(ToJson(summary));
    all.back()["description"] = track.description();
    if (is_json) continue;
    PrintText(summary);
    std::printf("  %s\n", track.description().c_str());
  }
  if (is_json) PrintJson(all);
  return {};
}

Result<void> Show(const ShowArguments& arguments) {
  LAPFORGE_TRY(tracks::Track track, tracks::LoadTrack(arguments.track));
  if (arguments.is_reversed) track = track.Reversed();
  const TrackSummary summary = Summarize(track);
  const std::string path =
      arguments.picture_path.empty() ? track.name() + ".png" : arguments.picture_path;
  tracks::PictureOptions picture;
  picture.width_px = arguments.width_px;
  LAPFORGE_CHECK_OK(tracks::DrawTrackPicture(track, {}, picture, path));
  if (arguments.is_json) {
    nlohmann::json json = ToJson(summary);
    json["picture"] = path;
    PrintJson(json);
  } else {
    PrintText(summary);
    std::printf("Picture: %s\n", path.c_str());
  }
  return {};
}

}  // namespace

int RunTrackListCommand(int argc, char** argv) {
  CLI::App app("The built-in tracks.", "track list");
  bool is_json = false;
  app.add_flag("--json", is_json, "Print JSON");
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  return ExitCodeOf(List(is_json));
}

int RunTrackShowCommand(int argc, char** argv) {
  CLI::App app("Draws a track to a PNG or SVG file and describes it.", "track show");
  ShowArguments arguments;
  app.add_option("track", arguments.track, "Built-in name or file")->required();
  app.add_option("-o,--out", arguments.picture_path, "The picture, .png or .svg [<track>.png]");
  app.add_option("--width", arguments.width_px, "Width of the picture in pixels [1600]")
      ->check(CLI::Range(64, 8192));
  app.add_flag("--reversed", arguments.is_reversed, "Driven the other way");
  app.add_flag("--json", arguments.is_json, "Print JSON");
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  return ExitCodeOf(Show(arguments));
}

}  // namespace lapforge::cli
