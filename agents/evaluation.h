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

// Whether evaluation laps vary as the training's episodes do (SimOptions::randomize).
enum class Randomization { kOff, kAsTrained };

// A simulator for evaluation laps and the driving of them; reused between evaluations.
class Evaluator {
 public:
  // `training` gives sensors, actions and physics; laps start standing, spread over the track, of
  // the car and the road as they are unless `randomization` says otherwise.
  static Result<std::unique_ptr<Evaluator>> Create(
      const sim::SimOptions& training, const sim::CarSpec& car, const tracks::Track& track,
      int num_laps, ThreadPool* pool, Randomization randomization = Randomization::kOff);
  ~Evaluator();
  Evaluation Run(PolicyDriver& driver);
  RecordedEvaluation RunRecorded(PolicyDriver& driver);

 private:
  class Impl;
  explicit Evaluator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapforge::agents
