// A whole training run: iterations, evaluations, checkpoints, and the decision to stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agents/evaluation.h"
#include "agents/learner.h"
#include "agents/run_folder.h"
#include "agents/train_options.h"
#include "sim/base/result.h"

namespace lapforge::agents {

struct Goal;

enum class StopReason {
  kBudget,       // run.total_env_steps were learned from
  kNoFaster,     // clean laps, and no faster ones for run.patience_evaluations
  kTime,         // run.max_time_s of training
  kGoal,         // run.until was met
  kInterrupted,  // asked to by the user; the run can go on later
};

struct EvaluationPoint {
  LearningPhase phase = LearningPhase::kReward;
  int64_t env_steps = 0;
  double train_s = 0;  // wall time of this run so far, over all its sessions
  Evaluation evaluation;
  bool is_best = false;  // the best policy so far; never a teacher
};

// Told what happens, on the training thread; for displays and files.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void OnIteration(const IterationStats& stats, double train_s) = 0;
  virtual void OnEvaluation(const EvaluationPoint& point) = 0;
  // What it goes on from, kept in each checkpoint.
  virtual std::vector<std::byte> Save() const { return {}; }
  // Forgets what happened since Save() gave these bytes; none: everything.
  virtual void Restore(std::span<const std::byte>) {}
};

// What a run achieved so far; part of its checkpoints.
struct TrainingProgress {
  double train_s = 0;
  int64_t first_clean_env_steps = -1;  // of the first evaluation with all laps clean; -1: none yet
  double first_clean_s = 0;
  int64_t best_env_steps = -1;  // of best.policy
  int64_t best_num_clean = -1;
  double best_completion_pct = -1;  // mean over the laps
  double best_lap_time_s = 0;       // mean over the laps, 0 unless all are clean
  int64_t next_evaluation_env_steps = 0;
  int64_t evaluations_since_faster = 0;
  int64_t evaluations_at_goal = 0;  // in a row that met run.until
  int64_t num_rollbacks = 0;        // times the loss was not finite
  bool is_goal_reached = false;

  bool has_clean_laps() const { return first_clean_env_steps >= 0; }
};

struct TrainingSummary {
  StopReason reason = StopReason::kBudget;
  int64_t env_steps = 0;
  TrainingProgress progress;
  std::string interrupted_reward;  // where the user's was: the line that says so
};

// What a run works with; everything is borrowed for the length of the run.
struct TrainingParts {
  const TrainOptions* options = nullptr;
  Learner* learner = nullptr;
  Evaluator* evaluator = nullptr;          // sees what the policy sees
  Evaluator* teacher_evaluator = nullptr;  // sees what a teacher sees; null where there is none
  RunFolder* folder = nullptr;
  TrainingObserver* observer = nullptr;
  const std::atomic<bool>* stop_requested = nullptr;
};

// Facts move like this: learner -> stats -> logs; every run.evaluate_every_env_steps the current
// policy drives evaluation laps -> best.policy; every run.checkpoint_every_iterations the whole
// state -> folder, where another thread waits for the disk: an error of it comes an iteration or
// more later. Ends with a checkpoint and last.policy, also after an error of the user's
// reward. A stop need not wait for the end of an iteration: what it began is undone. A loss that is
// not finite takes the run back to its newest checkpoint, to go on at half the learning rate; the
// fourth time it is an error.
class TrainingRun {
 public:
  explicit TrainingRun(const TrainingParts& parts) : parts_(parts) {}

  // Goes on from the folder's newest sound checkpoint; false where it holds none.
  Result<bool> Resume();
  // Learns on although the run had come to its end: for one whose budget or goal has changed.
  void LearnOn() {
    progress_.evaluations_since_faster = progress_.evaluations_at_goal = 0;
    progress_.is_goal_reached = false;
  }
  Result<TrainingSummary> Run();

 private:
  Result<void> IterateUntilStop();
  Result<std::optional<IterationStats>> Iterate(const StopCheck& should_stop);
  Result<void> LogIteration(const IterationStats& stats);
  Result<void> EvaluateIfDue();
  Result<void> Evaluate();
  void CountEvaluation(EvaluationPoint& point);
  bool IsPatienceOver() const;
  void KeepIfBest(EvaluationPoint& point);
  Result<void> BeginCheckpoint();
  Result<void> AwaitCheckpoint();
  bool IsCheckpointDone() const;
  Result<void> RollBack(const Error& cause);
  bool ShouldStop();

  TrainingParts parts_;
  TrainingProgress progress_;
  std::shared_ptr<const Policy> best_policy_;         // in no file yet
  std::shared_ptr<const Policy> saving_best_policy_;  // of the checkpoint on its way
  std::future<Result<void>> checkpoint_;              // on its way to the disk
  std::vector<std::byte> first_state_;                // of the trainer, until there is a checkpoint
  StopReason stop_reason_ = StopReason::kBudget;
  std::string interrupted_reward_;
  std::shared_ptr<const Goal> goal_;  // of run.until; null: none
};

}  // namespace lapforge::agents
