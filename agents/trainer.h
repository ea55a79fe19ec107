// PPO: collect a rollout, update the nets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "agents/learner.h"
#include "agents/train_options.h"
#include "reward/reward_function.h"
#include "sim/base/result.h"
#include "sim/base/thread_pool.h"
#include "sim/vector_sim.h"

namespace lapforge::agents {

class Environment;

// The simulation that a Trainer needs: that of the options, whose cars carry what only the critic
// sees, too (net.critic_sees_state).
sim::SimOptions TrainerSimOptions(const TrainOptions& options);

// Collects with `sim`, judges with `reward`, learns with PPO. Same seed, same bits, at any number
// of threads: a rollout's rows are split over a fixed number of shards, summed in a fixed order.
class Trainer : public Learner {
 public:
  // All pointers are borrowed and must outlive the trainer. Resets the simulator.
  static Result<std::unique_ptr<Trainer>> Create(const TrainOptions& options, sim::VectorSim* sim,
                                                 reward::RewardFunction* reward, ThreadPool* pool);
  // The same with any environment (private header agents/rollout/environment.h).
  static Result<std::unique_ptr<Trainer>> Create(const TrainOptions& options,
                                                 std::unique_ptr<Environment> environment,
                                                 ThreadPool* pool);
  ~Trainer() override;

  // One collect and one update. Errors: the user's reward function failed, or the loss became
  // non-finite.
  Result<std::optional<IterationStats>> RunIteration(const StopCheck& should_stop = {}) override;

  // Takes over an actor that has learned elsewhere, [num_parameters] without log-std, and the
  // critic of `judge`, if that sees the same through the same net.
  void StartFrom(std::span<const float> actor_net, const Trainer& judge);

  bool has_diverged() const override;
  void ScaleLearningRate(double factor) override;

  int64_t env_steps() const override;
  int64_t iteration() const override;
  std::vector<reward::RewardErrorCount> reward_errors() const override;
  Policy policy() const override;
  PolicyDriver& driver() override;

  // Weights, Adam moments, normaliser, random streams, counters and the whole simulator.
  std::vector<std::byte> Save() const override;
  Result<void> Restore(std::span<const std::byte> bytes) override;
  uint64_t ParameterHash() const override;

 private:
  class Impl;
  explicit Trainer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapforge::agents
