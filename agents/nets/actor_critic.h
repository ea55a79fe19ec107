// The policy and the value function, as two nets or as two heads of one, and how actions come out.
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

class ActorCriticWork;

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
  ~ActorCritic();
  ActorCritic(ActorCritic&&) noexcept;

  // True: one net, whose last output is the value (net.shared_trunk). The critic is then empty.
  bool has_shared_trunk() const { return critic_network_ == nullptr; }
  const Network& actor_network() const { return *actor_network_; }
  // Not where the trunk is shared.
  const Network& critic_network() const { return *critic_network_; }
  // The actor's net in float32 and without the value, for what drives and does not learn.
  const Network& driving_network() const { return *driving_network_; }
  const sim::ObservationSpec& actor_row() const { return rows_.actor; }
  const sim::ObservationSpec& critic_row() const { return rows_.critic; }
  const RowView& actor_view() const { return actor_view_; }
  const RowView& critic_view() const { return critic_view_; }
  const EnvironmentSpec& spec() const { return spec_; }
  DistributionKind kind() const { return spec_.kind; }

  // Flat parameters; call ParametersChanged after each change. The actor's end with log_std
  // [action_dim] for Gaussians.
  std::vector<float>& actor() { return actor_; }
  std::vector<float>& critic() { return critic_; }
  const std::vector<float>& actor() const { return actor_; }
  const std::vector<float>& critic() const { return critic_; }
  // Keeps log_std at or above its floor, and forgets what was made of the old parameters.
  void ParametersChanged();
  // Rises with each change.
  uint64_t version() const { return version_; }

  // Of the nets, as their workspaces take them.
  Parameters actor_parameters() const;
  Parameters critic_parameters() const { return {critic_, version_}; }
  std::span<const float> log_std() const;
  double min_log_std() const { return min_log_std_; }
  // A copy of those of the driving network.
  std::vector<float> DrivingParameters() const;

  // Samples actions for one observation row [row_bytes] per env, already normalised.
  void Act(std::span<const std::byte> observations, const ActionNoise& noise, ThreadPool& pool,
           const ActOutputs& outputs);
  // Values of any number of rows [values.size(), row_bytes].
  void Values(std::span<const std::byte> observations, std::span<float> values);

 private:
  ActorCritic(const EnvironmentSpec& spec, const SeenRows& rows);
  Result<void> MakeNetworks(const NetOptions& options);
  void InitParameters(const NetOptions& options, uint64_t seed);
  void ActShard(const RowRange& rows, std::span<const std::byte> observations,
                const ActionNoise& noise, const ActOutputs& outputs, ActorCriticWork& work) const;

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
  uint64_t version_ = 1;
  std::vector<std::unique_ptr<ActorCriticWork>> shards_;  // [kNumShards]
};

}  // namespace lapforge::agents
