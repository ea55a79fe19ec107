#include "tools/cli/laps.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "sim/base/assert.h"
#include "sim/base/strings.h"
#include "sim/recording.h"
#include "tools/cli/command.h"
#include "tools/cli/lap_times.h"

namespace lapforge::cli {
namespace {

using Laps = std::vector<agents::EvaluatedLap>;

Laps LapsOn(const agents::Evaluation& evaluation, size_t track_index) {
  Laps laps;
  std::copy_if(evaluation.laps.begin(), evaluation.laps.end(), std::back_inserter(laps),
               [&](const auto& lap) { return size_t(lap.track_index) == track_index; });
  return laps;
}

// A name for each track, told apart where several have the same.
std::vector<std::string> LabelsOf(const std::vector<tracks::Track>& tracks) {
  std::vector<std::string> labels;
  for (size_t i = 0; i < tracks.size(); ++i) {
    const auto number = 1 + std::count_if(tracks.begin(), tracks.begin() + std::ptrdiff_t(i),
                                          [&](const tracks::Track& earlier) {
                                            return earlier.name() == tracks[i].name();
                                          });
    labels.push_back(tracks[i].name());
    if (number > 1) labels.back() += StrCat(" (", number, ")");
  }
  return labels;
}

// One lap as it was driven: the road in the width that it had, and what stood on it at the end.
struct DrivenLap {
  std::optional<tracks::Track> road;
  tracks::DrivenLine line;
  std::vector<tracks::PictureBox> boxes;
};

Result<DrivenLap> DriveAgain(const sim::Recording& recording, const agents::EvaluatedLap& lap,
                             ThreadPool* pool) {
  DrivenLap driven;
  driven.line.value_label = "speed, m/s";
  int lap_index = 0;
  const auto follow = [&](const sim::VectorSim& sim, const sim::StepRows& rows, int step) {
    if (step == 0) return;
    const sim::StepFacts& facts = rows.facts[static_cast<size_t>(lap.env_index)];
    if (lap_index == lap.lap_index) {
      driven.road = sim.tracks()[static_cast<size_t>(facts.track_index)];
      driven.line.Add({facts.car.position_world_m.x, facts.car.position_world_m.y},
                      facts.car.velocity_body_mps.x);
      if (facts.reset_reason != sim::EndReason::kNone) driven.line.Break();
      driven.boxes = BoxesIn(facts);
    }
    if (facts.lap_time_us > 0 || facts.ended()) ++lap_index;
  };
  LAPFORGE_CHECK_OK(sim::Replay(recording, pool, follow));
  LAPFORGE_ASSERT(driven.road.has_value(), "a recorded lap is driven again");
  return driven;
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

// Where a lap begins: a place of the track, or the lap before.
std::string StartOf(const agents::EvaluatedLap& lap) {
  if (lap.lap_index > 0) return "flying";
  const std::string place = FormatFixed(100 * lap.start_frac, 0);
  return place == "0" || place == "100" ? "at line" : StrCat("at ", place, " %");
}

nlohmann::json SummaryOf(const Laps& laps, const std::string& track, int window) {
  const LapTimes times = SumUp(laps, window);
  return {{"track", track},
          {"laps", laps.size()},
          {"completed_laps", times.num_complete},
          {"clean_laps", agents::Evaluation{laps}.num_clean()},
          {"best_lap_us", TimeOrNull(times.best_us)},
          {"average_of", window},
          {"best_average_us", TimeOrNull(times.best_average_us)},
          {"total_us", TimeOrNull(times.total_us)}};
}

}  // namespace

std::string LapTimeText(int64_t lap_time_us) {
  return FormatFixed(static_cast<double>(lap_time_us) * 1e-6, 3) + " s";
}

nlohmann::json TimeOrNull(int64_t time_us) {
  return time_us > 0 ? nlohmann::json(time_us) : nlohmann::json();
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
  const std::vector<std::string> labels = LabelsOf(tracks);
  std::printf("%slap  start     result          %stime\n", columns.has_trials ? "trial  " : "",
              columns.has_resets ? "put back  " : "");
  int number = 0;
  for (size_t track = 0; track < tracks.size(); ++track) {
    const std::string place = tracks.size() > 1 ? "   " + labels[track] : "";
    for (const agents::EvaluatedLap& lap : LapsOn(evaluation, track)) {
      const LapNumber at =
          NumberOf(lap, tracks.size(), columns.is_rolling, counting.laps_per_trial);
      if (columns.has_trials) std::printf("%5d  ", at.trial + 1);
      std::printf("%3d  %-8s  %-14s  ", columns.has_trials ? at.lap + 1 : ++number,
                  StartOf(lap).c_str(), ResultOf(lap).c_str());
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
  const std::vector<std::string> labels = LabelsOf(tracks);
  for (size_t track = 0; track < tracks.size(); ++track) {
    const LapTimes times = SumUp(LapsOn(evaluation, track), counting.window);
    if (times.best_us == 0) continue;
    std::printf("%s: best lap %s", labels[track].c_str(), LapTimeText(times.best_us).c_str());
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
  const std::vector<std::string> labels = LabelsOf(tracks);
  nlohmann::json rows = nlohmann::json::array();
  nlohmann::json summaries = nlohmann::json::array();
  for (size_t track = 0; track < tracks.size(); ++track) {
    const Laps laps = LapsOn(evaluation, track);
    for (const agents::EvaluatedLap& lap : laps) {
      const LapNumber number = NumberOf(lap, tracks.size(), is_rolling, counting.laps_per_trial);
      rows.push_back({{"track", labels[track]},
                      {"trial", number.trial + 1},
                      {"lap", number.lap + 1},
                      {"start_frac", lap.start_frac},
                      {"flying_start", lap.lap_index > 0},
                      {"clean", lap.is_clean},
                      {"lap_time_us", TimeOrNull(lap.lap_time_us)},
                      {"completion_pct", lap.completion_pct},
                      {"reason", sim::EndReasonName(lap.reason)},
                      {"resets", lap.num_resets},
                      {"off_tracks", lap.num_off_tracks},
                      {"top_speed_mps", lap.top_speed_mps}});
    }
    summaries.push_back(SummaryOf(laps, labels[track], counting.window));
  }
  PrintJson(
      {{"policy", policy_name},
       {"track", tracks.front().name()},
       {"tracks", summaries},
       {"laps", rows},
       {"clean_laps", evaluation.num_clean()},
       {"mean_lap_time_s",
        evaluation.all_clean() ? nlohmann::json(evaluation.mean_lap_time_s()) : nlohmann::json()}});
}

std::vector<tracks::PictureBox> BoxesIn(const sim::StepFacts& facts) {
  std::vector<tracks::PictureBox> boxes;
  for (const sim::ObjectFacts& object : std::span(facts.objects).first(size_t(facts.num_objects))) {
    if (object.kind == sim::ObjectKind::kCar) continue;
    boxes.push_back({{object.position_m, object.yaw_rad}, object.length_m, object.width_m});
  }
  return boxes;
}

Result<void> WriteLaps(const agents::RecordedEvaluation& laps, const LapOutputs& outputs,
                       ThreadPool* pool) {
  if (!outputs.recording_path.empty()) {
    LAPFORGE_CHECK_OK(sim::SaveRecording(laps.recording, outputs.recording_path));
  }
  if (outputs.picture_path.empty()) return {};
  const agents::EvaluatedLap& best = BestLap(laps.evaluation);
  LAPFORGE_TRY(DrivenLap driven, DriveAgain(laps.recording, best, pool));
  tracks::PictureOptions picture;
  picture.show_waypoints = false;
  picture.title = driven.road->name() + ": " +
                  (best.is_clean ? "clean lap in " + LapTimeText(best.lap_time_us)
                                 : "lap not completed cleanly");
  picture.boxes = std::move(driven.boxes);
  return tracks::DrawTrackPicture(*driven.road, {&driven.line, 1}, picture, outputs.picture_path);
}

}  // namespace lapforge::cli
