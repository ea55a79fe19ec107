// Evaluation: deterministic laps without learning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agents/policy.h"
#include "sim/base/result.h"
#include "sim/recording.h"
#include "sim/vector_sim.h"

namespace lapforge::agents {

struct EvaluatedLap {
  double start_frac = 0;    // of the lap, where it began (standing start)
  bool is_clean = false;    // completed, never all four wheels off
  int64_t lap_time_us = 0;  // 0 where not completed
  double completion_pct = 0;
  sim::EndReason reason = sim::EndReason::kNone;
  size_t track_index = 0;  // of the tracks given
};

struct Evaluation {
  std::vector<EvaluatedLap> laps;
  int num_clean() const;
  bool all_clean() const;
  // Mean lap time of a set that is all clean, else 0.
  double mean_lap_time_s() const;
  // Mean over the laps of how far they came; 0 without laps.
  double mean_completion_pct() const;
};

// An evaluation kept for replays (see sim/recording.h) and pictures.
struct RecordedEvaluation {
  Evaluation evaluation;
  sim::Recording recording;
  std::vector<std::vector<sim::StepFacts>> facts_per_lap;
};

// A simulator for evaluation laps and the driving of them; reused between evaluations.
class Evaluator {
 public:
  // `training` gives sensors, actions and physics; `num_laps` of each track start standing, spread
  // over the track, or all at the start line where a track is open.
  static Result<std::unique_ptr<Evaluator>> Create(const sim::SimOptions& training,
                                                   const sim::CarSpec& car,
                                                   const std::vector<tracks::Track>& tracks,
                                                   int num_laps, ThreadPool* pool);
  ~Evaluator();
  Evaluation Run(PolicyDriver& driver);
  RecordedEvaluation RunRecorded(PolicyDriver& driver);

 private:
  class Impl;
  explicit Evaluator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapforge::agents
