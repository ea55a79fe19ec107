// Evaluation laps for people and programs: a table, JSON, a picture, a recording.
#pragma once

#include <string>
#include <vector>

#include "agents/evaluation.h"
#include "agents/policy.h"
#include "sim/base/result.h"
#include "tracks/track.h"

namespace lapforge::cli {

// "4.350 s"
std::string LapTimeText(int64_t lap_time_us);

// One row a lap and a closing line. `tracks` are those of the evaluation; several are named.
void PrintLaps(const agents::Evaluation& evaluation, const std::vector<tracks::Track>& tracks);

// The same as one JSON object on stdout.
void PrintLapsJson(const agents::Evaluation& evaluation, const std::string& policy_name,
                   const std::string& track_name);

// Where to keep what an evaluation saw; empty paths are not written.
struct LapOutputs {
  std::string recording_path;
  std::string picture_path;
};

// Writes the recording and a picture of the fastest lap coloured by speed.
Result<void> WriteLaps(const agents::RecordedEvaluation& laps, const LapOutputs& outputs);

}  // namespace lapforge::cli
