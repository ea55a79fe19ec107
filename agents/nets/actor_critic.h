// The policy and the value function: two nets, and how actions come out of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agents/nets/action_distribution.h"
#include "agents/nets/mlp.h"
#include "agents/rollout/environment.h"
#include "agents/train_options.h"
#include "sim/base/thread_pool.h"

namespace lapforge::agents {

// A rollout's rows, and a minibatch's, are computed in this many parts whatever the number of
// threads: a matrix product's last bits depend on how its rows are cut.
inline constexpr int kNumShards = 2;

// Rows [begin, end) of shard `shard` of `num_rows`.
struct RowRange {
  int begin = 0;
  int end = 0;
  int size() const { return end - begin; }
};
RowRange ShardRows(int num_rows, int shard);

// Where an action's noise comes from: one stream per env and control step.
struct ActionNoise {
  uint64_t seed = 0;
  uint32_t step = 0;  // control steps since the start of the run
};

// What Act writes for each row.
struct ActOutputs {
  std::span<float> actions;    // [rows, action_dim]
  std::span<float> log_probs;  // [rows]
  std::span<float> values;     // [rows]
};

class ActorCritic {
 public:
  ActorCritic(const EnvironmentSpec& spec, const NetOptions& options, uint64_t seed);

  const MlpShape& actor_shape() const { return actor_shape_; }
  const MlpShape& critic_shape() const { return critic_shape_; }
  DistributionKind kind() const { return spec_.kind; }

  // Flat parameters. The actor's end with log_std [action_dim] for Gaussians.
  std::vector<float>& actor() { return actor_; }
  std::vector<float>& critic() { return critic_; }
  const std::vector<float>& actor() const { return actor_; }
  const std::vector<float>& critic() const { return critic_; }
  std::span<const float> actor_net() const;
  std::span<const float> log_std() const;
  // Keeps log_std at or above the floor; call after each change of the actor.
  void ApplyLogStdFloor();

  // Samples actions for one observation row per env, already normalised.
  void Act(std::span<const float> observations, const ActionNoise& noise, ThreadPool& pool,
           const ActOutputs& outputs);
  // Values of any number of rows [values.size(), observation_dim].
  void Values(std::span<const float> observations, std::span<float> values);

 private:
  EnvironmentSpec spec_;
  double min_log_std_;
  MlpShape actor_shape_;
  MlpShape critic_shape_;
  std::vector<float> actor_;
  std::vector<float> critic_;
  std::vector<MlpWorkspace<float>> actor_work_;   // [kNumShards]
  std::vector<MlpWorkspace<float>> critic_work_;  // [kNumShards]
};

}  // namespace lapforge::agents
