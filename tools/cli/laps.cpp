#include "tools/cli/laps.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/base/strings.h"
#include "sim/recording.h"
#include "tools/cli/command.h"
#include "tracks/track_picture.h"

namespace lapforge::cli {
namespace {

// The lap to show: the fastest clean one, else the one that came furthest.
size_t BestLapIndex(const agents::Evaluation& evaluation) {
  size_t best = 0;
  for (size_t i = 1; i < evaluation.laps.size(); ++i) {
    const agents::EvaluatedLap& lap = evaluation.laps[i];
    const agents::EvaluatedLap& other = evaluation.laps[best];
    const bool is_better = lap.is_clean != other.is_clean ? lap.is_clean
                           : lap.is_clean                 ? lap.lap_time_us < other.lap_time_us
                                          : lap.completion_pct > other.completion_pct;
    if (is_better) best = i;
  }
  return best;
}

tracks::DrivenLine LineOf(const std::vector<sim::StepFacts>& facts) {
  tracks::DrivenLine line;
  line.value_label = "speed, m/s";
  for (const sim::StepFacts& step : facts) {
    line.points_m.push_back({step.car.position_world_m.x, step.car.position_world_m.y});
    line.values.push_back(step.car.velocity_body_mps.x);
  }
  return line;
}

}  // namespace

std::string LapTimeText(int64_t lap_time_us) {
  return FormatFixed(static_cast<double>(lap_time_us) * 1e-6, 3) + " s";
}

void PrintLaps(const agents::Evaluation& evaluation, const std::vector<tracks::Track>& tracks) {
  std::printf("lap   start     result          time\n");
  for (size_t i = 0; i < evaluation.laps.size(); ++i) {
    const agents::EvaluatedLap& lap = evaluation.laps[i];
    const std::string start = FormatFixed(100 * lap.start_frac, 0) + " %";
    const std::string result = lap.is_clean ? "clean" : sim::EndReasonName(lap.reason);
    const std::string time = lap.lap_time_us > 0
                                 ? LapTimeText(lap.lap_time_us)
                                 : "at " + FormatFixed(lap.completion_pct, 1) + " %";
    const std::string place = tracks.size() > 1 ? "   " + tracks[lap.track_index].name() : "";
    std::printf("%3zu  %6s     %-14s  %s%s\n", i + 1, start.c_str(), result.c_str(), time.c_str(),
                place.c_str());
  }
  std::printf("%d of %zu laps clean", evaluation.num_clean(), evaluation.laps.size());
  if (evaluation.all_clean()) std::printf(", mean lap %.3f s", evaluation.mean_lap_time_s());
  std::printf("\n");
}

void PrintLapsJson(const agents::Evaluation& evaluation, const std::string& policy_name,
                   const std::string& track_name) {
  nlohmann::json laps = nlohmann::json::array();
  for (const agents::EvaluatedLap& lap : evaluation.laps) {
    laps.push_back({{"start_frac", lap.start_frac},
                    {"clean", lap.is_clean},
                    {"lap_time_us", lap.lap_time_us},
                    {"completion_pct", lap.completion_pct},
                    {"reason", sim::EndReasonName(lap.reason)}});
  }
  const nlohmann::json report = {{"policy", policy_name},
                                 {"track", track_name},
                                 {"laps", laps},
                                 {"clean_laps", evaluation.num_clean()},
                                 {"mean_lap_time_s", evaluation.mean_lap_time_s()}};
  PrintJson(report);
}

Result<void> WriteLaps(const agents::RecordedEvaluation& laps, const LapOutputs& outputs) {
  const agents::Evaluation& evaluation = laps.evaluation;
  if (!outputs.recording_path.empty()) {
    LAPFORGE_CHECK_OK(sim::SaveRecording(laps.recording, outputs.recording_path));
  }
  if (!outputs.picture_path.empty()) {
    const size_t best = BestLapIndex(evaluation);
    const tracks::Track& track = laps.recording.tracks[evaluation.laps[best].track_index];
    const tracks::DrivenLine line = LineOf(laps.facts_per_lap[best]);
    tracks::PictureOptions picture;
    picture.show_waypoints = false;
    picture.title = track.name() + ": " +
                    (evaluation.laps[best].is_clean
                         ? "clean lap in " + LapTimeText(evaluation.laps[best].lap_time_us)
                         : "lap not completed cleanly");
    LAPFORGE_CHECK_OK(tracks::DrawTrackPng(track, {&line, 1}, picture, outputs.picture_path));
  }
  return {};
}

}  // namespace lapforge::cli
