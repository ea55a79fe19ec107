// lapforge track raceline.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/base/file_io.h"
#include "tools/cli/command.h"
#include "tools/cli/track/race_check.h"
#include "tools/cli/track/raceline_limits.h"
#include "tools/cli/track/track_commands.h"
#include "tracks/raceline.h"
#include "tracks/track_picture.h"

namespace lapforge::cli {
namespace {

struct RacelineArguments {
  std::string track;
  std::string car = "rc_1_18";
  double margin_m = 0.05;
  std::string csv_path;
  std::string picture_path;
  bool is_reversed = false;
  bool is_json = false;
};

struct LineSummary {
  const char* name;
  double lap_time_s;
  double length_m;
  double top_speed_mps;
  double max_curvature_1pm;
};

LineSummary Summarize(const char* name, const tracks::Raceline& line) {
  LineSummary summary{name, line.lap_time_s, line.length_m, 0, 0};
  for (const tracks::RacelinePoint& point : line.points) {
    summary.top_speed_mps = std::max(summary.top_speed_mps, point.speed_mps);
    summary.max_curvature_1pm = std::max(summary.max_curvature_1pm, std::abs(point.curvature_1pm));
  }
  return summary;
}

// A line without a bend has no radius.
constexpr double kStraight_1pm = 1e-4;

nlohmann::json ToJson(const LineSummary& line) {
  nlohmann::json json = {{"lap_time_s", line.lap_time_s},
                         {"length_m", line.length_m},
                         {"top_speed_mps", line.top_speed_mps}};
  if (line.max_curvature_1pm > kStraight_1pm) json["min_radius_m"] = 1 / line.max_curvature_1pm;
  return json;
}

void PrintText(const LineSummary& line) {
  std::printf("%-14s %8.3f s %9.2f m %8.2f m/s", line.name, line.lap_time_s, line.length_m,
              line.top_speed_mps);
  if (line.max_curvature_1pm > kStraight_1pm) {
    std::printf(" %9.2f m\n", 1 / line.max_curvature_1pm);
  } else {
    std::printf("   straight\n");
  }
}

Result<void> Draw(const tracks::Track& track, const tracks::Raceline& line,
                  const std::string& path) {
  tracks::DrivenLine driven;
  driven.value_label = "speed, m/s";
  const size_t num_points = line.points.size() + (line.is_closed ? 1 : 0);
  for (size_t i = 0; i < num_points; ++i) {
    const tracks::RacelinePoint& point = line.points[i % line.points.size()];
    driven.points_m.push_back(point.position_m);
    driven.values.push_back(point.speed_mps);
  }
  tracks::PictureOptions options;
  options.show_waypoints = false;
  options.title = track.name() + ", racing line, " + FormatFixed(line.lap_time_s, 3) + " s";
  return tracks::DrawTrackPicture(track, {&driven, 1}, options, path);
}

Result<void> CheckEnding(const std::string& csv_path) {
  if (csv_path.empty() || std::filesystem::path(csv_path).extension() == ".csv") return {};
  return ErrorOf("--out ", csv_path,
                 ": a racing line is a table; expected a name that ends in .csv");
}

Result<void> Run(const RacelineArguments& arguments) {
  LAPFORGE_CHECK_OK(CheckEnding(arguments.csv_path));
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(arguments.car));
  LAPFORGE_TRY(tracks::Track track, LoadTrackFor(car, arguments.track));
  if (arguments.is_reversed) track = track.Reversed();
  const tracks::RacelineLimits limits = LimitsOf(car, arguments.margin_m);
  LAPFORGE_TRY(const tracks::Raceline raceline, tracks::ComputeRaceline(track, limits));
  LAPFORGE_TRY(const tracks::Raceline shortest, tracks::ComputeShortestPath(track, limits));
  LAPFORGE_TRY(const tracks::Raceline center, tracks::ComputeCenterline(track, limits));

  const std::string name = track.name() + " driven by " + car.name;
  if (!arguments.csv_path.empty()) {
    LAPFORGE_CHECK_OK(WriteFileAtomic(arguments.csv_path, RacelineToCsv(raceline, name)));
  }
  if (!arguments.picture_path.empty()) {
    LAPFORGE_CHECK_OK(Draw(track, raceline, arguments.picture_path));
  }

  const LineSummary race = Summarize("racing line", raceline);
  const LineSummary way = Summarize("shortest path", shortest);
  const LineSummary middle = Summarize("centerline", center);
  if (arguments.is_json) {
    nlohmann::json json = {{"track", track.name()},          {"car", car.name},
                           {"margin_m", arguments.margin_m}, {"racing_line", ToJson(race)},
                           {"shortest_path", ToJson(way)},   {"centerline", ToJson(middle)}};
    if (!arguments.csv_path.empty()) json["file"] = arguments.csv_path;
    if (!arguments.picture_path.empty()) json["picture"] = arguments.picture_path;
    PrintJson(json);
    return {};
  }
  std::printf("%s, margin %.3f m\n", name.c_str(), arguments.margin_m);
  std::printf("%-14s %10s %11s %12s %11s\n", "", "lap time", "length", "top speed", "min radius");
  for (const LineSummary& line : {race, way, middle}) PrintText(line);
  if (!arguments.csv_path.empty()) std::printf("Line: %s\n", arguments.csv_path.c_str());
  if (!arguments.picture_path.empty()) std::printf("Picture: %s\n", arguments.picture_path.c_str());
  return {};
}

}  // namespace

int RunTrackRacelineCommand(int argc, char** argv) {
  CLI::App app("Finds the fastest line around a track, and how fast a car can drive it.",
               "track raceline");
  RacelineArguments arguments;
  app.add_option("track", arguments.track, "Built-in name or file")->required();
  app.add_option("--car", arguments.car, "Built-in name or .textproto file [rc_1_18]");
  app.add_option("--margin", arguments.margin_m,
                 "Room between the car's side and a border, metres; negative: the side may cross "
                 "the border, the middle not [0.05]");
  app.add_option("-o,--out", arguments.csv_path,
                 "Write the line as CSV (s_m; x_m; y_m; psi_rad; kappa_radpm; vx_mps; ax_mps2)");
  app.add_option("--picture", arguments.picture_path, "Draw the line over the track, .png or .svg");
  app.add_flag("--reversed", arguments.is_reversed, "Driven the other way");
  app.add_flag("--json", arguments.is_json, "Print JSON");
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  return ExitCodeOf(Run(arguments));
}

}  // namespace lapforge::cli
