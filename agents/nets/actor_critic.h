// The policy and the value function: two nets, and how actions come out of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agents/nets/action_distribution.h"
#include "agents/nets/network.h"
#include "agents/nets/row_layout.h"
#include "agents/rollout/environment.h"
#include "agents/train_options.h"
#include "sim/base/result.h"
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

// What each net sees of an observation row.
struct SeenRows {
  sim::ObservationSpec actor;
  sim::ObservationSpec critic;
};

class ActorCritic {
 public:
  // Errors: a net that cannot take its rows. A critic that sees other things than the actor is an
  // mlp, or what net.kind auto makes of its rows.
  static Result<ActorCritic> Create(const EnvironmentSpec& spec, const SeenRows& rows,
                                    const NetOptions& options, uint64_t seed);

  const Network& actor_network() const { return *actor_network_; }
  const Network& critic_network() const { return *critic_network_; }
  // The actor's net in float32, for what drives and does not learn.
  const Network& driving_network() const { return *driving_network_; }
  const sim::ObservationSpec& actor_row() const { return rows_.actor; }
  const sim::ObservationSpec& critic_row() const { return rows_.critic; }
  const RowView& actor_view() const { return actor_view_; }
  const RowView& critic_view() const { return critic_view_; }
  DistributionKind kind() const { return spec_.kind; }

  // Flat parameters. The actor's end with log_std [action_dim] for Gaussians.
  std::vector<float>& actor() { return actor_; }
  std::vector<float>& critic() { return critic_; }
  const std::vector<float>& actor() const { return actor_; }
  const std::vector<float>& critic() const { return critic_; }
  std::span<const float> actor_net() const;
  std::span<const float> log_std() const;
  double min_log_std() const { return min_log_std_; }
  // Keeps log_std at or above the floor; call after each change of the actor.
  void ApplyLogStdFloor();

  // Samples actions for one observation row [row_bytes] per env, already normalised.
  void Act(std::span<const std::byte> observations, const ActionNoise& noise, ThreadPool& pool,
           const ActOutputs& outputs);
  // Values of any number of rows [values.size(), row_bytes].
  void Values(std::span<const std::byte> observations, std::span<float> values);

 private:
  // One part of the rows: what its thread computes with.
  struct Shard {
    std::unique_ptr<NetworkWorkspace> actor;
    std::unique_ptr<NetworkWorkspace> critic;
  };

  ActorCritic(const EnvironmentSpec& spec, const SeenRows& rows);
  void ActShard(const RowRange& rows, std::span<const std::byte> observations,
                const ActionNoise& noise, const ActOutputs& outputs, Shard& shard) const;

  EnvironmentSpec spec_;
  SeenRows rows_;
  RowView actor_view_;
  RowView critic_view_;
  double min_log_std_ = 0;
  int rows_per_shard_;
  std::unique_ptr<Network> actor_network_;
  std::unique_ptr<Network> critic_network_;
  std::unique_ptr<Network> driving_network_;
  std::vector<float> actor_;
  std::vector<float> critic_;
  std::vector<Shard> shards_;  // [kNumShards]
};

}  // namespace lapforge::agents
