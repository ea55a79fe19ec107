// The folder deepracer/ of a run: what tools of the DeepRacer world read (spec/deepracer.md
// section 6, layout of DeepRacer for Cloud). docs/deepracer.md says what lies where.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "agents/evaluation.h"
#include "agents/train_options.h"
#include "agents/training_run.h"
#include "reward/reward_function.h"
#include "sim/base/result.h"
#include "sim/vector_sim.h"

namespace lapforge::agents {

struct TraceRow;  // private: one line of a trace

// Rewards as another function gives them, and a memory of what the first envs did for them.
class TracedReward : public reward::RewardFunction {
 public:
  // `sim` is borrowed; the first `num_workers` of its envs are remembered.
  TracedReward(std::unique_ptr<reward::RewardFunction> inner, const sim::VectorSim* sim,
               int num_workers);
  ~TracedReward() override;

  Result<void> Evaluate(std::span<const sim::StepFacts> facts, std::span<float> rewards) override;
  Result<void> EvaluateEach(std::span<const sim::StepFacts> facts, std::span<float> rewards,
                            reward::RewardFailures& failures) override;
  std::vector<reward::RewardTerm> TakeTermMeans() override { return inner_->TakeTermMeans(); }

  // What each of these envs did in the last `num_env_steps` of all envs; forgets it and all before:
  // steps of iterations that were undone.
  std::vector<std::vector<TraceRow>> TakeSteps(int64_t num_env_steps);

 private:
  void Remember(std::span<const sim::StepFacts> facts, std::span<const float> rewards);

  std::unique_ptr<reward::RewardFunction> inner_;
  const sim::VectorSim* sim_;
  std::vector<std::vector<TraceRow>> steps_;  // [worker]
};

// Receives lines of text, line feeds included.
using TextSink = std::function<void(std::string_view)>;

// Writes the folder while a run learns. Each traced env is a worker; run.deepracer_episodes whole
// episodes of every worker are an iteration of the folder, and its files appear when they are
// whole. What is not yet whole is kept in checkpoints, so that a run which was killed and went on
// leaves the files of one that never was, but for the times of the clock. An error of the disk ends
// the writing, not the run; Finish() returns it.
class DeepRacerTree : public TrainingObserver {
 public:
  // Begins the folder in `run_folder`; a run that goes on calls Restore. `trace` is borrowed.
  static Result<std::unique_ptr<DeepRacerTree>> Open(const std::filesystem::path& run_folder,
                                                     const TrainOptions& options,
                                                     TracedReward* trace);
  ~DeepRacerTree() override;

  // Also prints each traced step as DeepRacer's log does, after the lines that tools look for.
  void PrintSteps(TextSink print);

  void OnIteration(const IterationStats& stats, double train_s) override;
  void OnEvaluation(const EvaluationPoint& point) override;
  std::vector<std::byte> Save() const override;
  // The folder begins anew where it was another number of workers or episodes, or where its files
  // have gone.
  void Restore(std::span<const std::byte> state) override;
  // Writes what is left. A run too short for one iteration leaves its whole episodes as the first.
  Result<void> Finish();

 private:
  class Impl;
  explicit DeepRacerTree(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Adds evaluation laps to the folder of a run, as an evaluation of this moment: a trace and its
// metrics. Rewards in it are DeepRacer's own for evaluations, by the distance from the
// centerline. Prints the steps too, where `print` is given.
Result<void> WriteDeepRacerEvaluation(const std::filesystem::path& run_folder,
                                      const RecordedEvaluation& laps, const TextSink& print = {});

}  // namespace lapforge::agents
