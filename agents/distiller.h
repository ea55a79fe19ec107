// Teacher to student in one run: PPO for a teacher that may see the track state, then a policy with
// the wanted sensors that imitates it while driving itself, and at last perhaps PPO for the policy.
#pragma once

#include <memory>

#include "agents/learner.h"
#include "agents/train_options.h"
#include "reward/reward_function.h"
#include "sim/base/thread_pool.h"
#include "sim/vector_sim.h"

namespace lapforge::agents {

class Environment;
class Network;

// The simulators of the phases, for the options of a run: the teacher's carries PrivilegedSensors,
// the student's its own sensors and behind them the teacher's, the last one what
// TrainerSimOptions says.
sim::SimOptions TeacherSimOptions(const TrainOptions& options);
sim::SimOptions StudentSimOptions(const TrainOptions& options);
sim::SimOptions ThenPpoSimOptions(const TrainOptions& options);

// Borrowed; must outlive the distiller.
struct DistillerParts {
  sim::VectorSim* teacher_sim = nullptr;
  reward::RewardFunction* reward = nullptr;
  sim::VectorSim* student_sim = nullptr;
  sim::VectorSim* then_ppo_sim = nullptr;  // null unless distill.then_ppo_env_steps asks for it
  ThreadPool* pool = nullptr;
};

// Env steps are the teacher's, then the student's frames, then PPO's. The teacher's phase ends with
// the first clean evaluation from distill.teacher_env_steps on, or at
// distill.teacher_max_env_steps; the student's, where distill.then_ppo_env_steps are to follow,
// with the evaluation before them, or with BeginNextPhase().
class Distiller : public Learner {
 public:
  // Resets both simulators.
  static Result<std::unique_ptr<Distiller>> Create(const TrainOptions& options,
                                                   const DistillerParts& parts);
  ~Distiller() override;

  Result<std::optional<IterationStats>> RunIteration(const StopCheck& should_stop = {}) override;
  bool has_diverged() const override;
  void ScaleLearningRate(double factor) override;
  int64_t env_steps() const override;
  int64_t iteration() const override;
  std::vector<reward::RewardErrorCount> reward_errors() const override;
  LearningPhase phase() const override;
  Policy policy() const override;
  PolicyDriver& driver() override;
  bool awaits_evaluation() const override;
  void OnEvaluation(const Evaluation& evaluation) override;
  bool BeginNextPhase() override;

  // Of a student no frames: restoring drives again for those that it still learns from.
  std::vector<std::byte> Save() const override;
  Result<void> Restore(std::span<const std::byte> bytes) override;
  uint64_t ParameterHash() const override;

 private:
  class Impl;
  explicit Distiller(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapforge::agents
