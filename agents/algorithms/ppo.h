// PPO's update: several passes over a rollout in shuffled minibatches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "agents/algorithms/adam.h"
#include "agents/algorithms/ppo_loss.h"
#include "agents/algorithms/return_scale.h"
#include "agents/nets/actor_critic.h"
#include "agents/rollout/rollout_buffer.h"
#include "agents/train_options.h"
#include "sim/base/byte_buffer.h"
#include "sim/base/result.h"
#include "sim/base/thread_pool.h"

namespace lapforge::agents {

// Means over all minibatches of an update.
struct UpdateStats {
  LossSums losses;
  double explained_variance = 0;  // of the values the rollout was collected with
  double learning_rate = 0;       // that was used
};

class Ppo {
 public:
  // Borrows nets and pool.
  Ppo(const PpoOptions& options, const EnvironmentSpec& spec, ActorCritic* nets, ThreadPool* pool,
      uint64_t seed);
  ~Ppo();

  // Scales rewards where ppo.normalize_returns says so, computes advantages, then learns from the
  // buffer. Empty: `should_stop`, asked before each
  // minibatch, said so. An error: a loss or gradient was not finite. Nets and moments are then
  // somewhere inside the update: the caller brings back what they were.
  Result<std::optional<UpdateStats>> Update(RolloutBuffer& buffer, double learning_rate,
                                            const std::function<bool()>& should_stop = {});

  // Moments, the number of updates done, and what adapts.
  void Save(ByteWriter& writer) const;
  bool Restore(ByteReader& reader);

 private:
  struct Shard;

  bool is_actor_learning() const {
    return nets_->has_shared_trunk() ||
           num_updates_ >= static_cast<uint32_t>(options_.critic_warm_up_iterations);
  }
  void ComputeAdvantages(RolloutBuffer& buffer) const;
  bool LearnMinibatch(const RolloutBuffer& buffer, std::span<const uint32_t> samples,
                      double learning_rate, LossSums& sums);
  void ComputeShard(const RolloutBuffer& buffer, std::span<const uint32_t> samples, Shard& shard,
                    int minibatch_rows) const;

  PpoOptions options_;
  EnvironmentSpec spec_;
  ActorCritic* nets_;
  ThreadPool* pool_;
  uint64_t seed_;
  uint32_t num_updates_ = 0;
  double learning_rate_factor_ = 1;  // ppo.target_kl's
  ReturnScale return_scale_;
  AdamState actor_adam_;
  AdamState critic_adam_;
  std::vector<uint32_t> order_;
  std::vector<float> advantages_;  // of a minibatch, normalised
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace lapforge::agents
