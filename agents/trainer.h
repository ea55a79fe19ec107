// The learner: collect a rollout, update the nets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "agents/policy.h"
#include "agents/train_options.h"
#include "reward/reward_function.h"
#include "sim/base/result.h"
#include "sim/base/thread_pool.h"
#include "sim/vector_sim.h"

namespace lapforge::agents {

class Environment;

// Asked between control steps and between minibatches: true to stop there. Empty: never.
using StopCheck = std::function<bool()>;

// What one iteration did; the metric names are those of DESIGN.md section 5.
struct IterationStats {
  int64_t iteration = 0;
  int64_t env_steps = 0;      // total so far
  int64_t num_episodes = 0;   // ended in this iteration
  double episode_return = 0;  // mean over those episodes
  double episode_steps = 0;
  double completion_pct = 0;   // mean progress at the end of those episodes
  double best_lap_time_s = 0;  // of laps completed in this iteration, 0: none
  int64_t num_laps = 0;
  double policy_loss = 0;
  double value_loss = 0;
  double entropy = 0;
  double approx_kl = 0;
  double clip_fraction = 0;
  double explained_variance = 0;
  double learning_rate = 0;
  double collect_s = 0;  // wall time, for throughput only: never feeds back
  double update_s = 0;
  std::vector<reward::RewardTerm> reward_terms;
  int64_t new_env_steps = 0;  // of this iteration

  double env_steps_per_s() const {
    return static_cast<double>(new_env_steps) / (collect_s + update_s);
  }
};

// Collects with `sim`, judges with `reward`, learns with PPO. Same seed, same bits, at any number
// of threads: a rollout's rows are split over a fixed number of shards, summed in a fixed order.
class Trainer {
 public:
  // All pointers are borrowed and must outlive the trainer. Resets the simulator.
  static Result<std::unique_ptr<Trainer>> Create(const TrainOptions& options, sim::VectorSim* sim,
                                                 reward::RewardFunction* reward, ThreadPool* pool);
  // The same with any environment (private header agents/rollout/environment.h).
  static Result<std::unique_ptr<Trainer>> Create(const TrainOptions& options,
                                                 std::unique_ptr<Environment> environment,
                                                 ThreadPool* pool);
  ~Trainer();

  // One collect and one update, or nothing where `should_stop` says so. Errors: the user's reward
  // function failed, or the loss became non-finite. An iteration that did not come to its end is
  // undone: everything that Save() saves is as before.
  Result<std::optional<IterationStats>> RunIteration(const StopCheck& should_stop = {});

  // True where the last iteration failed because a loss or a gradient was not finite: it might not,
  // at a lower learning rate.
  bool has_diverged() const;
  // Scales the learning rate of all iterations to come, 0 .. 1; part of the state.
  void ScaleLearningRate(double factor);

  int64_t env_steps() const;
  int64_t iteration() const;

  // The current nets, and a driver that always uses the newest ones.
  Policy policy() const;
  PolicyDriver& driver();

  // Everything that decides the future: weights, Adam moments, normaliser, random streams, counters
  // and the whole simulator. Restoring continues to the same bits; bytes of a run with other nets
  // or another simulation are an error that changes nothing.
  std::vector<std::byte> Save() const;
  Result<void> Restore(std::span<const std::byte> bytes);
  // Hash of all parameters, for comparisons.
  uint64_t ParameterHash() const;

 private:
  class Impl;
  explicit Trainer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapforge::agents
