// lapforge track: list and show tracks.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/base/strings.h"
#include "tools/cli/command.h"
#include "tracks/track_files.h"
#include "tracks/track_picture.h"

namespace lapforge::cli {
namespace {

struct TrackArguments {
  std::string track;
  std::string picture_path;
  int width_px = 1600;
  bool is_reversed = false;
  bool is_json = false;
};

struct TrackSummary {
  std::string name;
  double length_m = 0;
  double min_width_m = 0;
  double max_width_m = 0;
  int num_waypoints = 0;
  std::string kind;  // "closed, counter-clockwise"
};

TrackSummary Summarize(const tracks::Track& track) {
  TrackSummary summary;
  summary.name = track.name();
  summary.length_m = track.length_m();
  summary.num_waypoints = track.num_waypoints();
  summary.min_width_m = 1e9;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const tracks::Waypoint waypoint = track.waypoint(i);
    const double width_m = Length(waypoint.left_m - waypoint.right_m);
    summary.min_width_m = std::min(summary.min_width_m, width_m);
    summary.max_width_m = std::max(summary.max_width_m, width_m);
  }
  summary.kind = !track.is_closed()             ? "open"
                 : track.is_counter_clockwise() ? "closed, counter-clockwise"
                                                : "closed, clockwise";
  return summary;
}

nlohmann::json ToJson(const TrackSummary& summary) {
  return {{"name", summary.name},
          {"length_m", summary.length_m},
          {"min_width_m", summary.min_width_m},
          {"max_width_m", summary.max_width_m},
          {"waypoints", summary.num_waypoints},
          {"kind", summary.kind}};
}

void PrintText(const TrackSummary& summary) {
  std::string width = FormatFixed(summary.min_width_m, 2);
  if (summary.max_width_m - summary.min_width_m > 0.01) {
    width += " to " + FormatFixed(summary.max_width_m, 2);
  }
  std::printf("%-24s %8.2f m long, %s m wide, %d waypoints, %s\n", summary.name.c_str(),
              summary.length_m, width.c_str(), summary.num_waypoints, summary.kind.c_str());
}

void PrintJson(const nlohmann::json& json) {
  std::printf("%s\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

Result<void> List(bool is_json) {
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& name : tracks::BuiltInTrackNames()) {
    LAPFORGE_TRY(const tracks::Track track, tracks::LoadBuiltInTrack(name));
    const TrackSummary summary = Summarize(track);
    all.push_back(ToJson(summary));
    if (!is_json) PrintText(summary);
  }
  if (is_json) PrintJson(all);
  return {};
}

Result<void> Show(const TrackArguments& arguments) {
  LAPFORGE_TRY(tracks::Track track, tracks::LoadTrack(arguments.track));
  if (arguments.is_reversed) track = track.Reversed();
  const TrackSummary summary = Summarize(track);
  const std::string path =
      arguments.picture_path.empty() ? track.name() + ".png" : arguments.picture_path;
  tracks::PictureOptions picture;
  picture.width_px = arguments.width_px;
  LAPFORGE_CHECK_OK(tracks::DrawTrackPng(track, {}, picture, path));
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

int RunTrackCommand(int argc, char** argv) {
  CLI::App app("Tracks: built-in ones and files.", "track");
  TrackArguments arguments;
  app.require_subcommand(1);
  CLI::App* list = app.add_subcommand("list", "The built-in tracks");
  CLI::App* show = app.add_subcommand("show", "Draw a track to a PNG file and describe it");
  show->add_option("track", arguments.track, "Built-in name or file")->required();
  show->add_option("-o,--out", arguments.picture_path, "The picture [<track>.png]");
  show->add_option("--width", arguments.width_px, "Width of the picture in pixels [1600]")
      ->check(CLI::Range(64, 8192));
  show->add_flag("--reversed", arguments.is_reversed, "Driven the other way");
  for (CLI::App* sub : {list, show}) {
    sub->add_flag("--json", arguments.is_json, "Print JSON");
  }
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  const Result<void> outcome = list->parsed() ? List(arguments.is_json) : Show(arguments);
  return outcome.ok() ? kOk : Fail(outcome.error());
}

}  // namespace lapforge::cli
