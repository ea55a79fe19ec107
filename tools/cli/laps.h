// Evaluation laps for people and programs: a table, JSON, a picture, a recording.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "agents/evaluation.h"
#include "sim/base/result.h"
#include "sim/base/thread_pool.h"
#include "tracks/track.h"
#include "tracks/track_picture.h"

namespace lapforge::cli {

// "4.350 s"
std::string LapTimeText(int64_t lap_time_us);

// For programs: null where there is no time.
nlohmann::json TimeOrNull(int64_t time_us);

// Of the laps: the fastest clean one, else the one that came furthest.
const agents::EvaluatedLap& BestLap(const agents::Evaluation& evaluation);

// How laps count as trials and add up.
struct LapCounting {
  int laps_per_trial = 3;
  int window = 3;  // laps of an average
};

// One row a lap, track by track, and a closing line. `tracks` are those of the evaluation. Trials
// have a column where there are several, and so has how often the car was put back.
void PrintLaps(const agents::Evaluation& evaluation, const std::vector<tracks::Track>& tracks,
               const LapCounting& counting);

// One line a track: best lap, best average of consecutive laps, total.
void PrintLapTimes(const agents::Evaluation& evaluation, const std::vector<tracks::Track>& tracks,
                   const LapCounting& counting);

// The same as one JSON object on stdout; null for times that there are not.
void PrintLapsJson(const agents::Evaluation& evaluation, const std::vector<tracks::Track>& tracks,
                   const std::string& policy_name, const LapCounting& counting);

// Where to keep what an evaluation saw; empty paths are not written.
struct LapOutputs {
  std::string recording_path;
  std::string picture_path;
};

// Writes the recording, and a picture of the best lap coloured by speed: as it was driven, which is
// simulated again.
Result<void> WriteLaps(const agents::RecordedEvaluation& laps, const LapOutputs& outputs,
                       ThreadPool* pool);

// The boxes and bot cars of a moment.
std::vector<tracks::PictureBox> BoxesIn(const sim::StepFacts& facts);

}  // namespace lapforge::cli
