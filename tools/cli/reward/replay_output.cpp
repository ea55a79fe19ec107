#include "tools/cli/reward/replay_output.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/base/file_io.h"
#include "sim/base/math.h"
#include "sim/base/strings.h"
#include "tracks/track_picture.h"

namespace lapforge::cli {
namespace {

using reward::RewardedLap;
using reward::RewardedStep;

std::string Figure(double value) {
  const double size = std::abs(value);
  return FormatFixed(value, size >= 1000 ? 0 : size >= 10 ? 2 : 4);
}

std::string ResultOf(const RewardedLap& lap) {
  if (lap.summary.is_lap()) return "lap";
  return lap.reason == sim::EndReason::kNone ? "not ended" : sim::EndReasonName(lap.reason);
}

std::string RowOf(const RewardedStep& step) {
  std::string row = StrCat(step.number);
  for (const double value : {step.time_s, step.front_point_m.x, step.front_point_m.y,
                             step.progress_pct, step.lateral_offset_m, step.speed_mps,
                             step.speed_cmd_mps, DegFromRad(step.steering_cmd_rad), step.reward}) {
    row += "," + FormatFixed(value, 6);
  }
  for (const double term : step.terms) row += "," + FormatFixed(term, 6);
  return row;
}

// As RFC 4180 quotes.
std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

// Further than a car can have driven: it was put back.
bool IsJump(const RewardedStep& from, const RewardedStep& to) {
  constexpr double kSlackM = 0.1;
  const double reach_m = 2 * std::max(from.speed_mps, to.speed_mps) * (to.time_s - from.time_s);
  return Length(to.front_point_m - from.front_point_m) > reach_m + kSlackM;
}

}  // namespace

void PrintReplay(const ReplayedFile& file) {
  std::printf("%s, paid by %s\n", file.recording.c_str(), file.reward.c_str());
  std::printf("%-16s %-12s %6s %9s %10s %10s %10s %10s %11s\n", "", "result", "steps", "time",
              "sum", "mean", "min", "max", "discounted");
  for (const RewardedLap& lap : file.replay.laps) {
    const reward::RewardedDrive& figures = lap.summary;
    const std::string time = figures.is_lap() ? FormatFixed(figures.lap_time_s, 3) + " s" : "-";
    std::printf("%-16s %-12s %6d %9s %10s %10s %10s %10s %11s\n", figures.name.c_str(),
                ResultOf(lap).c_str(), figures.num_steps, time.c_str(),
                Figure(figures.total_reward).c_str(), Figure(figures.mean_reward).c_str(),
                Figure(figures.min_reward).c_str(), Figure(figures.max_reward).c_str(),
                Figure(figures.discounted_return).c_str());
  }
}

nlohmann::json ReplayToJson(const ReplayedFile& file) {
  nlohmann::json laps = nlohmann::json::array();
  for (const RewardedLap& lap : file.replay.laps) {
    const reward::RewardedDrive& figures = lap.summary;
    nlohmann::json json = {{"name", figures.name},
                           {"car", lap.env_index + 1},
                           {"result", ResultOf(lap)},
                           {"steps", figures.num_steps},
                           {"lap_time_s", nullptr},
                           {"total_reward", figures.total_reward},
                           {"mean_reward", figures.mean_reward},
                           {"min_reward", figures.min_reward},
                           {"max_reward", figures.max_reward},
                           {"discounted_return", figures.discounted_return}};
    if (figures.is_lap()) json["lap_time_s"] = figures.lap_time_s;
    for (size_t k = 0; k < file.replay.term_names.size(); ++k) {
      double sum = 0;
      for (const RewardedStep& step : lap.steps) sum += step.terms[k];
      json["terms"][file.replay.term_names[k]] = sum;
    }
    laps.push_back(json);
  }
  return {{"recording", file.recording}, {"reward", file.reward}, {"laps", laps}};
}

Result<void> WriteReplayCsv(const std::vector<ReplayedFile>& files,
                            const std::vector<ReplayedFile>& compared, const std::string& path) {
  std::string text =
      "recording,lap,step,time_s,x_m,y_m,progress_pct,lateral_offset_m,speed_mps,speed_cmd_mps,"
      "steering_cmd_deg,reward";
  for (const std::string& name : files.front().replay.term_names) text += ",reward/" + name;
  text += compared.empty() ? "\n" : ",compared_reward\n";
  for (size_t f = 0; f < files.size(); ++f) {
    const std::vector<RewardedLap>& laps = files[f].replay.laps;
    for (size_t k = 0; k < laps.size(); ++k) {
      const std::string start =
          Quoted(files[f].recording) + "," + Quoted(laps[k].summary.name) + ",";
      for (size_t i = 0; i < laps[k].steps.size(); ++i) {
        text += start + RowOf(laps[k].steps[i]);
        if (!compared.empty()) {
          text += "," + FormatFixed(compared[f].replay.laps[k].steps[i].reward, 6);
        }
        text += "\n";
      }
    }
  }
  return WriteFileAtomic(path, text);
}

Result<void> DrawReplay(const ReplayedFile& file, const RewardedLap& lap, const std::string& path) {
  tracks::DrivenLine line;
  line.value_label = "reward of a step";
  for (size_t i = 0; i < lap.steps.size(); ++i) {
    if (i > 0 && IsJump(lap.steps[i - 1], lap.steps[i])) line.Break();
    line.Add(lap.steps[i].front_point_m, lap.steps[i].reward);
  }
  const tracks::Track& track = file.replay.views[size_t(lap.track_index)];
  tracks::PictureOptions options;
  options.show_waypoints = false;
  options.show_profile = true;
  options.title =
      StrCat(track.name(), ", ", lap.summary.name,
             lap.summary.is_lap() ? " in " + FormatFixed(lap.summary.lap_time_s, 3) + " s" : "",
             ": ", std::filesystem::path(file.reward).filename().string(), " pays ",
             Figure(lap.summary.total_reward));
  return tracks::DrawTrackPicture(track, {&line, 1}, options, path);
}

}  // namespace lapforge::cli
