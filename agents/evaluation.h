// Evaluation: deterministic laps without learning.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agents/policy.h"
#include "sim/base/result.h"
#include "sim/recording.h"
#include "sim/vector_sim.h"

namespace lapforge::agents {

using EvaluatedLap = sim::LapResult;

struct Evaluation {
  std::vector<EvaluatedLap> laps;  // trial by trial (env_index), in the order they were driven
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
  std::vector<std::vector<sim::StepFacts>> facts_per_trial;  // until its end, where asked for
  std::vector<tracks::Track> views;  // that their track_index points into: VectorSim::tracks()
};

// What else to do while an evaluation is recorded.
struct RecordingWishes {
  bool keeps_facts = false;                                       // 2 kB a step and trial
  std::function<void(size_t num_ended, size_t num_all)> on_step;  // trials, after each step
};

// Whether evaluation laps vary as the training's episodes do (SimOptions::randomize).
enum class Randomization { kOff, kAsTrained };

// How evaluation laps are driven. Each trial is a drive of its own from a standing start; the
// starts are spread over the track (all at the line where a track is open).
struct EvaluationRules {
  int num_trials = 3;      // on each track
  int laps_per_trial = 1;  // one after the other: all but the first with a flying start
  int max_resets = 0;      // violations that put the car back instead of ending the trial
  double off_track_penalty_s = sim::EpisodeOptions().off_track_penalty_s;
  double crash_penalty_s = sim::EpisodeOptions().crash_penalty_s;
  Randomization randomization = Randomization::kOff;
};

// A simulator for evaluation laps and the driving of them; reused between evaluations.
class Evaluator {
 public:
  // `training` gives sensors, actions, physics and the seed. Trial i drives
  // tracks[i % tracks.size()].
  static Result<std::unique_ptr<Evaluator>> Create(const sim::SimOptions& training,
                                                   const sim::CarSpec& car,
                                                   const std::vector<tracks::Track>& tracks,
                                                   const EvaluationRules& rules, ThreadPool* pool);
  ~Evaluator();
  Evaluation Run(PolicyDriver& driver);
  RecordedEvaluation RunRecorded(PolicyDriver& driver, const RecordingWishes& wishes = {});

 private:
  class Impl;
  explicit Evaluator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapforge::agents
