#include "tools/cli/laps.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/base/strings.h"
#include "sim/recording.h"
#include "tools/cli/command.h"
#include "tools/cli/lap_times.h"
#include "tracks/track_picture.h"

namespace lapforge::cli {
namespace {

using Laps = std::vector<agents::EvaluatedLap>;

Laps LapsOn(const agents::Evaluation& evaluation, size_t track_index) {
  Laps laps;
  std::copy_if(evaluation.laps.begin(), evaluation.laps.end(), std::back_inserter(laps),
               [&](const auto& lap) { return size_t(lap.track_index) == track_index; });
  return laps;
}

// The driven line of one lap, from the facts of its whole trial.
tracks::DrivenLine LineOf(const std::vector<sim::StepFacts>& facts, int lap_index) {
  tracks::DrivenLine line;
  line.value_label = "speed, m/s";
  int index = 0;
  for (const sim::StepFacts& step : facts) {
    if (index == lap_index) {
      line.points_m.push_back({step.car.position_world_m.x, step.car.position_world_m.y});
      line.values.push_back(step.car.velocity_body_mps.x);
    }
    if (step.lap_time_us > 0) ++index;
  }
  return line;
}

std::string ResultOf(const agents::EvaluatedLap& lap) {
  if (lap.is_clean) return "clean";
  return lap.is_complete() ? "not clean" : sim::EndReasonName(lap.reason);
}

std::string TimeOf(const agents::EvaluatedLap& lap) {
  return lap.is_complete() ? LapTimeText(lap.lap_time_us)
                           : "at " + FormatFixed(lap.completion_pct, 1) + " %";
}

// Which trial of its track a lap belongs to, and which lap of the trial it is, from 0. Laps that
// start standing are drives of their own.
struct LapNumber {
  int trial = 0;
  int lap = 0;
};
LapNumber NumberOf(const agents::EvaluatedLap& lap, size_t num_tracks, bool is_rolling,
                   int laps_per_trial) {
  const int drive = lap.env_index / static_cast<int>(num_tracks);
  if (is_rolling) return {drive, lap.lap_index};
  return {drive / laps_per_trial, drive % laps_per_trial};
}

// What a table shows beside the laps.
struct LapColumns {
  bool is_rolling = false;  // laps of a trial follow one another
  bool has_trials = false;
  bool has_resets = false;
};
LapColumns ColumnsFor(const agents::Evaluation& evaluation, size_t num_tracks,
                      const LapCounting& counting) {
  LapColumns columns;
  for (const agents::EvaluatedLap& lap : evaluation.laps) {
    columns.is_rolling |= lap.lap_index > 0;
    columns.has_resets |= lap.num_resets > 0;
  }
  columns.has_trials = std::any_of(
      evaluation.laps.begin(), evaluation.laps.end(), [&](const agents::EvaluatedLap& lap) {
        return NumberOf(lap, num_tracks, columns.is_rolling, counting.laps_per_trial).trial > 0;
      });
  return columns;
}

nlohmann::json SummaryOf(const Laps& laps, const tracks::Track& track, int window) {
  const LapTimes times = SumUp(laps, window);
  return {{"track", track.name()},
          {"laps", laps.size()},
          {"completed_laps", times.num_complete},
          {"clean_laps", agents::Evaluation{laps}.num_clean()},
          {"best_lap_us", times.best_us},
          {"average_of", window},
          {"best_average_us", times.best_average_us},
          {"total_us", times.total_us}};
}

}  // namespace

std::string LapTimeText(int64_t lap_time_us) {
  return FormatFixed(static_cast<double>(lap_time_us) * 1e-6, 3) + " s";
}

const agents::EvaluatedLap& BestLap(const agents::Evaluation& evaluation) {
  const auto is_worse = [](const agents::EvaluatedLap& lap, const agents::EvaluatedLap& other) {
    if (lap.is_clean != other.is_clean) return other.is_clean;
    return lap.is_clean ? lap.lap_time_us > other.lap_time_us
                        : lap.completion_pct < other.completion_pct;
  };
  return *std::max_element(evaluation.laps.begin(), evaluation.laps.end(), is_worse);
}

void PrintLaps(const agents::Evaluation& evaluation, const std::vector<tracks::Track>& tracks,
               const LapCounting& counting) {
  const LapColumns columns = ColumnsFor(evaluation, tracks.size(), counting);
  std::printf("%slap   start     result          %stime\n", columns.has_trials ? "trial  " : "",
              columns.has_resets ? "put back  " : "");
  int number = 0;
  for (size_t track = 0; track < tracks.size(); ++track) {
    const std::string place = tracks.size() > 1 ? "   " + tracks[track].name() : "";
    for (const agents::EvaluatedLap& lap : LapsOn(evaluation, track)) {
      const LapNumber at =
          NumberOf(lap, tracks.size(), columns.is_rolling, counting.laps_per_trial);
      const bool is_flying = lap.lap_index > 0;
      const std::string start = is_flying ? "flying" : FormatFixed(100 * lap.start_frac, 0) + " %";
      if (columns.has_trials) std::printf("%5d  ", at.trial + 1);
      std::printf("%3d  %6s     %-14s  ", columns.has_trials ? at.lap + 1 : ++number, start.c_str(),
                  ResultOf(lap).c_str());
      if (columns.has_resets) std::printf("%8d  ", lap.num_resets);
      std::printf("%s%s\n", TimeOf(lap).c_str(), place.c_str());
    }
  }
  std::printf("%d of %zu laps clean", evaluation.num_clean(), evaluation.laps.size());
  if (evaluation.all_clean()) std::printf(", mean lap %.3f s", evaluation.mean_lap_time_s());
  std::printf("\n");
}

void PrintLapTimes(const agents::Evaluation& evaluation, const std::vector<tracks::Track>& tracks,
                   const LapCounting& counting) {
  for (size_t track = 0; track < tracks.size(); ++track) {
    const LapTimes times = SumUp(LapsOn(evaluation, track), counting.window);
    if (times.best_us == 0) continue;
    std::printf("%s: best lap %s", tracks[track].name().c_str(),
                LapTimeText(times.best_us).c_str());
    if (times.best_average_us > 0) {
      std::printf(", best average of %d in a row %s, total %s", counting.window,
                  LapTimeText(times.best_average_us).c_str(), LapTimeText(times.total_us).c_str());
    }
    std::printf("\n");
  }
}

void PrintLapsJson(const agents::Evaluation& evaluation, const std::vector<tracks::Track>& tracks,
                   const std::string& policy_name, const LapCounting& counting) {
  const bool is_rolling = ColumnsFor(evaluation, tracks.size(), counting).is_rolling;
  nlohmann::json rows = nlohmann::json::array();
  nlohmann::json summaries = nlohmann::json::array();
  for (size_t track = 0; track < tracks.size(); ++track) {
    const Laps laps = LapsOn(evaluation, track);
    for (const agents::EvaluatedLap& lap : laps) {
      const LapNumber number = NumberOf(lap, tracks.size(), is_rolling, counting.laps_per_trial);
      rows.push_back({{"track", tracks[track].name()},
                      {"trial", number.trial + 1},
                      {"lap", number.lap + 1},
                      {"start_frac", lap.start_frac},
                      {"flying_start", lap.lap_index > 0},
                      {"clean", lap.is_clean},
                      {"lap_time_us", lap.lap_time_us},
                      {"completion_pct", lap.completion_pct},
                      {"reason", sim::EndReasonName(lap.reason)},
                      {"resets", lap.num_resets},
                      {"off_tracks", lap.num_off_tracks},
                      {"top_speed_mps", lap.top_speed_mps}});
    }
    summaries.push_back(SummaryOf(laps, tracks[track], counting.window));
  }
  PrintJson({{"policy", policy_name},
             {"track", tracks.front().name()},
             {"tracks", summaries},
             {"laps", rows},
             {"clean_laps", evaluation.num_clean()},
             {"mean_lap_time_s", evaluation.mean_lap_time_s()}});
}

Result<void> WriteLaps(const agents::RecordedEvaluation& laps, const LapOutputs& outputs) {
  if (!outputs.recording_path.empty()) {
    LAPFORGE_CHECK_OK(sim::SaveRecording(laps.recording, outputs.recording_path));
  }
  if (outputs.picture_path.empty()) return {};
  const agents::EvaluatedLap& best = BestLap(laps.evaluation);
  const tracks::Track& track = laps.recording.tracks[static_cast<size_t>(best.track_index)];
  const tracks::DrivenLine line =
      LineOf(laps.facts_per_trial[static_cast<size_t>(best.env_index)], best.lap_index);
  tracks::PictureOptions picture;
  picture.show_waypoints = false;
  picture.title = track.name() + ": " +
                  (best.is_clean ? "clean lap in " + LapTimeText(best.lap_time_us)
                                 : "lap not completed cleanly");
  return tracks::DrawTrackPicture(track, {&line, 1}, picture, outputs.picture_path);
}

}  // namespace lapforge::cli
