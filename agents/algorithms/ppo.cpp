#include "agents/algorithms/ppo.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "agents/algorithms/gae.h"
#include "agents/algorithms/ppo_rules.h"
#include "agents/nets/actor_critic_work.h"

namespace lapforge::agents {
namespace {

constexpr double kAdvantageEpsilon = 1e-8;

// (x - mean) / std of the chosen samples
void NormalizeAdvantages(std::span<const float> all, std::span<const uint32_t> samples, bool is_on,
                         std::vector<float>& chosen) {
  chosen.resize(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) chosen[i] = all[samples[i]];
  if (!is_on) return;
  const double count = static_cast<double>(chosen.size());
  double sum = 0;
  for (const float value : chosen) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const float value : chosen) squares += (value - mean) * (value - mean);
  const double scale = 1 / (std::sqrt(squares / count) + kAdvantageEpsilon);
  for (float& value : chosen) value = static_cast<float>((value - mean) * scale);
}

double ExplainedVariance(std::span<const float> targets, std::span<const float> values) {
  const double count = static_cast<double>(targets.size());
  double mean_target = 0;
  double mean_error = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    mean_target += targets[i] / count;
    mean_error += (targets[i] - values[i]) / count;
  }
  double target_variance = 0;
  double error_variance = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    const double target = targets[i] - mean_target;
    const double error = targets[i] - values[i] - mean_error;
    target_variance += target * target;
    error_variance += error * error;
  }
  return target_variance > 0 ? 1 - error_variance / target_variance : 0;
}

}  // namespace

// One part of a minibatch: its samples side by side, its nets' buffers, its gradients.
struct Ppo::Shard {
  const ActorCritic& nets;
  ActorCriticWork work;
  std::vector<float> actions;
  std::vector<float> log_probs;
  std::vector<float> advantages;
  std::vector<float> value_targets;
  std::vector<float> values;
  std::vector<float> output_gradients;
  std::vector<float> value_gradients;
  std::vector<float> actor_gradients;
  std::vector<float> critic_gradients;
  LossSums sums;

  Shard(const EnvironmentSpec& spec, const ActorCritic& actor_critic, int max_rows)
      : nets(actor_critic),
        work(nets, max_rows),
        actions(size_t(max_rows) * size_t(spec.action_dim)),
        output_gradients(size_t(max_rows) * size_t(spec.num_outputs)),
        actor_gradients(nets.actor().size()),
        critic_gradients(nets.critic().size()) {
    for (auto* array : {&log_probs, &advantages, &value_targets, &values, &value_gradients}) {
      array->resize(size_t(max_rows));
    }
  }

  // copies the samples' rows out of the rollout
  void Gather(const RolloutBuffer& buffer, std::span<const uint32_t> samples) {
    const size_t action_dim = size_t(buffer.spec.action_dim);
    for (size_t row = 0; row < samples.size(); ++row) {
      const size_t sample = samples[row];
      work.Gather(nets, buffer.RowOf(sample), static_cast<int>(row));
      std::copy_n(&buffer.actions[sample * action_dim], action_dim, &actions[row * action_dim]);
      log_probs[row] = buffer.log_probs[sample];
      value_targets[row] = buffer.value_targets[sample];
      values[row] = buffer.values[sample];
    }
  }
};

Ppo::Ppo(const PpoOptions& options, const EnvironmentSpec& spec, ActorCritic* nets,
         ThreadPool* pool, uint64_t seed)
    : options_(options),
      spec_(spec),
      nets_(nets),
      pool_(pool),
      seed_(seed),
      return_scale_(spec.num_envs),
      actor_adam_(nets->actor().size()),
      critic_adam_(nets->critic().size()),
      order_(size_t(options.horizon) * size_t(spec.num_envs)) {
  const int rows = std::min(options.minibatch_size, static_cast<int>(order_.size()));
  for (int i = 0; i < kNumShards; ++i) {
    shards_.push_back(std::make_unique<Shard>(spec, *nets, (rows + kNumShards - 1) / kNumShards));
  }
}

Ppo::~Ppo() = default;

Result<std::optional<UpdateStats>> Ppo::Update(RolloutBuffer& buffer, double learning_rate,
                                               const std::function<bool()>& should_stop) {
  if (options_.normalize_returns) return_scale_.ScaleRewards(options_.discount, buffer);
  ComputeAdvantages(buffer);
  UpdateStats stats;
  stats.learning_rate = learning_rate * learning_rate_factor_;
  stats.explained_variance =
      ExplainedVariance(buffer.value_targets, std::span(buffer.values).first(order_.size()));

  double num_minibatches = 0;
  for (int epoch = 0; epoch < options_.num_epochs; ++epoch) {
    ShuffleSamples<uint32_t>(seed_, num_updates_, uint32_t(epoch), order_);
    for (size_t begin = 0; begin < order_.size(); begin += size_t(options_.minibatch_size)) {
      if (should_stop && should_stop()) return std::optional<UpdateStats>();
      const size_t count = std::min(size_t(options_.minibatch_size), order_.size() - begin);
      ++num_minibatches;
      if (!LearnMinibatch(buffer, std::span(order_).subspan(begin, count), stats.learning_rate,
                          stats.losses)) {
        return ErrorOf("the loss is no longer a finite number after ", num_updates_,
                       " updates; a smaller ppo.learning_rate or reward scale helps");
      }
    }
  }
  const bool has_actor_learned = is_actor_learning();
  ++num_updates_;
  LossSums& losses = stats.losses;
  for (double* sum : {&losses.policy_loss, &losses.value_loss, &losses.entropy, &losses.approx_kl,
                      &losses.clip_fraction}) {
    *sum /= num_minibatches;
  }
  if (has_actor_learned) {
    learning_rate_factor_ = NextRateFactor(options_, learning_rate_factor_, losses.approx_kl);
  }
  return std::optional(stats);
}

void Ppo::ComputeAdvantages(RolloutBuffer& buffer) const {
  GaeInputs inputs;
  inputs.horizon = buffer.horizon;
  inputs.num_envs = buffer.spec.num_envs;
  inputs.rewards = buffer.rewards;
  inputs.values = buffer.values;
  inputs.terminated = buffer.terminated;
  inputs.truncated = buffer.truncated;
  inputs.final_values = buffer.final_values;
  inputs.last_values = buffer.StepOf(buffer.values, buffer.horizon);
  ComputeGae(inputs, options_.discount, options_.gae_lambda, buffer.advantages,
             buffer.value_targets);
}

bool Ppo::LearnMinibatch(const RolloutBuffer& buffer, std::span<const uint32_t> samples,
                         double learning_rate, LossSums& sums) {
  NormalizeAdvantages(buffer.advantages, samples, options_.normalize_advantages, advantages_);
  const int num_rows = static_cast<int>(samples.size());
  pool_->ParallelFor(kNumShards, [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) {
      const RowRange rows = ShardRows(num_rows, i);
      Shard& shard = *shards_[size_t(i)];
      std::copy_n(advantages_.begin() + rows.begin, rows.size(), shard.advantages.begin());
      ComputeShard(buffer, samples.subspan(size_t(rows.begin), size_t(rows.size())), shard,
                   num_rows);
    }
  });

  // summed in order, whoever came first; with one trunk the critic's arrays are empty
  LossSums losses;
  for (size_t i = 0; i < kNumShards; ++i) losses += shards_[i]->sums;
  const auto sum_and_clip = [&](std::vector<float> Shard::*gradients, double max_norm) {
    std::array<std::span<float>, kNumShards> parts;
    for (size_t i = 0; i < kNumShards; ++i) parts[i] = (*shards_[i]).*gradients;
    return SumAndClip(parts, max_norm, *pool_);
  };
  const float actor_scale = sum_and_clip(&Shard::actor_gradients, options_.max_policy_grad_norm);
  const float critic_scale = sum_and_clip(&Shard::critic_gradients, options_.max_value_grad_norm);
  if (!std::isfinite(actor_scale) || !std::isfinite(critic_scale) ||
      !std::isfinite(losses.policy_loss + losses.value_loss)) {
    return false;
  }
  sums += losses;
  const Shard& total = *shards_.front();
  if (is_actor_learning()) {
    AdamStep({learning_rate, options_.adam_epsilon, actor_scale}, total.actor_gradients,
             nets_->actor(), actor_adam_, *pool_);
  }
  AdamStep({learning_rate, options_.adam_epsilon, critic_scale}, total.critic_gradients,
           nets_->critic(), critic_adam_, *pool_);
  nets_->ParametersChanged();
  return true;
}

void Ppo::ComputeShard(const RolloutBuffer& buffer, std::span<const uint32_t> samples, Shard& shard,
                       int minibatch_rows) const {
  shard.sums = {};
  const int num_rows = static_cast<int>(samples.size());
  const size_t net_size = nets_->actor_network().num_parameters();
  const std::span<float> actor_gradients = shard.actor_gradients;
  if (num_rows == 0) {
    std::fill(shard.actor_gradients.begin(), shard.actor_gradients.end(), 0.0f);
    std::fill(shard.critic_gradients.begin(), shard.critic_gradients.end(), 0.0f);
    return;
  }
  shard.Gather(buffer, samples);
  const auto rows = [num_rows](std::vector<float>& array, int columns = 1) {
    return std::span<float>(array).first(size_t(num_rows) * size_t(columns));
  };
  const LossSamples inputs = {rows(shard.actions, spec_.action_dim),
                              rows(shard.log_probs),
                              rows(shard.advantages),
                              rows(shard.value_targets),
                              rows(shard.values),
                              num_rows,
                              minibatch_rows};

  const auto [outputs, values] = shard.work.Forward(*nets_, num_rows);
  const std::span<float> output_gradients = rows(shard.output_gradients, spec_.num_outputs);
  PolicyLoss<float>(
      options_, inputs,
      {spec_.kind, outputs, nets_->log_std(), output_gradients, actor_gradients.subspan(net_size)},
      shard.sums);
  const std::span<float> value_gradients = rows(shard.value_gradients);
  ValueLossOf<float>(options_, inputs, values, value_gradients, shard.sums);
  if (nets_->has_shared_trunk()) {
    // policy loss plus value_coef times value loss (arXiv:1707.06347, equation 9)
    for (float& gradient : value_gradients) gradient *= static_cast<float>(options_.value_coef);
  }
  shard.work.Backward(*nets_, {output_gradients, value_gradients}, num_rows,
                      {actor_gradients.first(net_size), shard.critic_gradients});
}

void Ppo::Save(ByteWriter& writer) const {
  writer.Write(num_updates_);
  writer.Write(learning_rate_factor_);
  return_scale_.Save(writer);
  actor_adam_.Save(writer);
  critic_adam_.Save(writer);
}

bool Ppo::Restore(ByteReader& reader) {
  uint32_t num_updates = 0;
  reader.Read(num_updates);
  double learning_rate_factor = 1;
  reader.Read(learning_rate_factor);
  ReturnScale return_scale(spec_.num_envs);
  if (!return_scale.Restore(reader)) return false;
  AdamState actor_adam;
  AdamState critic_adam;
  actor_adam.Restore(reader);
  critic_adam.Restore(reader);
  if (!reader.ok() || !actor_adam.Fits(actor_adam_.mean.size()) ||
      !critic_adam.Fits(critic_adam_.mean.size())) {
    return false;
  }
  num_updates_ = num_updates;
  learning_rate_factor_ = learning_rate_factor;
  return_scale_ = std::move(return_scale);
  actor_adam_ = std::move(actor_adam);
  critic_adam_ = std::move(critic_adam);
  return true;
}

}  // namespace lapforge::agents
