#include "agents/nets/actor_critic.h"

#include <algorithm>

#include "agents/nets/make_network.h"

namespace lapforge::agents {
namespace {

bool SeesTheSame(const SeenRows& rows) {
  return std::ranges::equal(rows.actor.sensors, rows.critic.sensors, {}, &sim::SensorSpec::name,
                            &sim::SensorSpec::name);
}

}  // namespace

RowRange ShardRows(int num_rows, int shard) {
  return {num_rows * shard / kNumShards, num_rows * (shard + 1) / kNumShards};
}

ActorCritic::ActorCritic(const EnvironmentSpec& spec, const SeenRows& rows)
    : spec_(spec),
      rows_(rows),
      actor_view_(rows.actor, spec.row),
      critic_view_(rows.critic, spec.row),
      rows_per_shard_((spec.num_envs + kNumShards - 1) / kNumShards) {}

Result<ActorCritic> ActorCritic::Create(const EnvironmentSpec& spec, const SeenRows& rows,
                                        const NetOptions& options, uint64_t seed) {
  ActorCritic nets(spec, rows);
  nets.min_log_std_ = options.min_log_std;
  LAPFORGE_TRY(nets.actor_network_, MakeNetwork(options, rows.actor, spec.num_outputs));
  NetOptions critic_options = options;
  if (!SeesTheSame(rows)) critic_options.kind = NetKind::kAuto;
  LAPFORGE_TRY(nets.critic_network_, MakeNetwork(critic_options, rows.critic, 1));
  LAPFORGE_TRY(nets.driving_network_,
               MakeNetwork(AsPoliciesDrive(options), rows.actor, spec.num_outputs));

  nets.actor_.resize(nets.actor_network_->num_parameters());
  nets.critic_.resize(nets.critic_network_->num_parameters());
  RngStream actor_random(seed, 0, 0, RngPurpose::kNetInit);
  RngStream critic_random(seed, 1, 0, RngPurpose::kNetInit);
  nets.actor_network_->Init(options.last_layer_gain, actor_random, nets.actor_);
  nets.critic_network_->Init(1.0, critic_random, nets.critic_);
  if (spec.kind == DistributionKind::kGaussian) {
    nets.actor_.resize(nets.actor_.size() + size_t(spec.action_dim),
                       static_cast<float>(options.initial_log_std));
  }
  for (int shard = 0; shard < kNumShards; ++shard) {
    nets.shards_.push_back({nets.actor_network_->MakeWorkspace(nets.rows_per_shard_),
                            nets.critic_network_->MakeWorkspace(nets.rows_per_shard_)});
  }
  return nets;
}

std::span<const float> ActorCritic::actor_net() const {
  return std::span(actor_).first(actor_network_->num_parameters());
}

std::span<const float> ActorCritic::log_std() const {
  return std::span(actor_).subspan(actor_network_->num_parameters());
}

void ActorCritic::ApplyLogStdFloor() {
  const float floor = static_cast<float>(min_log_std_);
  for (size_t i = actor_network_->num_parameters(); i < actor_.size(); ++i) {
    actor_[i] = std::max(actor_[i], floor);
  }
}

void ActorCritic::Act(std::span<const std::byte> observations, const ActionNoise& noise,
                      ThreadPool& pool, const ActOutputs& outputs) {
  pool.ParallelFor(kNumShards, [&](int begin, int end, int) {
    for (int shard = begin; shard < end; ++shard) {
      const RowRange rows = ShardRows(spec_.num_envs, shard);
      if (rows.size() > 0) ActShard(rows, observations, noise, outputs, shards_[size_t(shard)]);
    }
  });
}

void ActorCritic::ActShard(const RowRange& rows, std::span<const std::byte> observations,
                           const ActionNoise& noise, const ActOutputs& outputs,
                           Shard& shard) const {
  const size_t num_rows = size_t(rows.size());
  const size_t row_bytes = spec_.row.row_bytes;
  const auto seen = observations.subspan(size_t(rows.begin) * row_bytes, num_rows * row_bytes);
  actor_view_.Gather(seen, shard.actor->inputs().first(num_rows * actor_view_.row_bytes()));
  critic_view_.Gather(seen, shard.critic->inputs().first(num_rows * critic_view_.row_bytes()));
  const auto heads = shard.actor->Forward(actor_net(), rows.size());
  const auto values = shard.critic->Forward(critic_, rows.size());
  std::copy(values.begin(), values.end(), outputs.values.begin() + rows.begin);

  // one draw per env and step, whoever computes it
  for (int env = rows.begin; env < rows.end; ++env) {
    const size_t row = size_t(env - rows.begin);
    const auto head = heads.subspan(row * size_t(spec_.num_outputs), size_t(spec_.num_outputs));
    const auto action =
        outputs.actions.subspan(size_t(env) * size_t(spec_.action_dim), size_t(spec_.action_dim));
    RngStream random(noise.seed, uint32_t(env), noise.step, RngPurpose::kActionNoise);
    SampleAction(spec_.kind, head, log_std(), random, action);
    outputs.log_probs[size_t(env)] =
        ProbabilityOf<float>(spec_.kind, {head, log_std(), action}).log_prob;
  }
}

void ActorCritic::Values(std::span<const std::byte> observations, std::span<float> values) {
  NetworkWorkspace& work = *shards_.front().critic;
  const size_t rows_at_once = size_t(rows_per_shard_);
  const size_t row_bytes = spec_.row.row_bytes;
  for (size_t begin = 0; begin < values.size(); begin += rows_at_once) {
    const size_t count = std::min(rows_at_once, values.size() - begin);
    critic_view_.Gather(observations.subspan(begin * row_bytes, count * row_bytes),
                        work.inputs().first(count * critic_view_.row_bytes()));
    const auto outputs = work.Forward(critic_, static_cast<int>(count));
    std::copy(outputs.begin(), outputs.end(), values.begin() + std::ptrdiff_t(begin));
  }
}

}  // namespace lapforge::agents
