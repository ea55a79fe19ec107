#include "agents/nets/actor_critic.h"

#include <algorithm>

#include "agents/nets/actor_critic_work.h"
#include "agents/nets/make_network.h"
#include "agents/nets/net_plan.h"

namespace lapforge::agents {
namespace {

bool SeesTheSame(const SeenRows& rows) {
  return std::ranges::equal(rows.actor.sensors, rows.critic.sensors, {}, &sim::SensorSpec::name,
                            &sim::SensorSpec::name);
}

// The weight before a net's last bias.
ParameterTensor OutputWeight(const Network& network) {
  const std::vector<ParameterTensor> tensors = network.tensors();
  return tensors[tensors.size() - 2];
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

ActorCritic::~ActorCritic() = default;
ActorCritic::ActorCritic(ActorCritic&&) noexcept = default;

Result<ActorCritic> ActorCritic::Create(const EnvironmentSpec& spec, const SeenRows& rows,
                                        const NetOptions& options, uint64_t seed) {
  ActorCritic nets(spec, rows);
  nets.min_log_std_ = options.min_log_std;
  LAPFORGE_CHECK_OK(nets.MakeNetworks(options));
  nets.InitParameters(options, seed);
  for (int shard = 0; shard < kNumShards; ++shard) {
    nets.shards_.push_back(std::make_unique<ActorCriticWork>(nets, nets.rows_per_shard_));
  }
  return nets;
}

Result<void> ActorCritic::MakeNetworks(const NetOptions& options) {
  const bool is_shared = options.shared_trunk && SeesTheSame(rows_) &&
                         ResolveNetKind(options.kind, rows_.actor) != NetKind::kMlp;
  const int num_values = is_shared ? 1 : 0;
  LAPFORGE_TRY(actor_network_, MakeNetwork(options, rows_.actor, spec_.num_outputs + num_values));
  LAPFORGE_TRY(driving_network_,
               MakeNetwork(AsPoliciesDrive(options), rows_.actor, spec_.num_outputs));
  if (is_shared) return {};
  NetOptions critic_options = options;
  if (!SeesTheSame(rows_)) critic_options.kind = NetKind::kAuto;
  LAPFORGE_TRY(critic_network_, MakeNetwork(critic_options, rows_.critic, 1));
  return {};
}

void ActorCritic::InitParameters(const NetOptions& options, uint64_t seed) {
  actor_.resize(actor_network_->num_parameters());
  RngStream actor_random(seed, 0, 0, RngPurpose::kNetInit);
  if (has_shared_trunk()) {
    // one orthogonal output layer; the value's row of it keeps its length
    actor_network_->Init(1.0, actor_random, actor_);
    const ParameterTensor output = OutputWeight(*actor_network_);
    const size_t row_size = size_t(output.shape[1]);
    for (float& weight : std::span(actor_).subspan(output.offset, output.size() - row_size)) {
      weight *= static_cast<float>(options.last_layer_gain);
    }
  } else {
    actor_network_->Init(options.last_layer_gain, actor_random, actor_);
    critic_.resize(critic_network_->num_parameters());
    RngStream critic_random(seed, 1, 0, RngPurpose::kNetInit);
    critic_network_->Init(1.0, critic_random, critic_);
  }
  if (spec_.kind == DistributionKind::kGaussian) {
    actor_.resize(actor_.size() + size_t(spec_.action_dim),
                  static_cast<float>(options.initial_log_std));
  }
}

Parameters ActorCritic::actor_parameters() const {
  return {std::span(actor_).first(actor_network_->num_parameters()), version_};
}

std::span<const float> ActorCritic::log_std() const {
  return std::span(actor_).subspan(actor_network_->num_parameters());
}

void ActorCritic::ParametersChanged() {
  ++version_;
  const float floor = static_cast<float>(min_log_std_);
  for (size_t i = actor_network_->num_parameters(); i < actor_.size(); ++i) {
    actor_[i] = std::max(actor_[i], floor);
  }
}

std::vector<float> ActorCritic::DrivingParameters() const {
  const std::span<const float> all = actor_parameters().numbers;
  std::vector<float> driving(all.begin(), all.end());
  if (!has_shared_trunk()) return driving;

  // without the value's row of the last weight, and its bias, which is the last number
  const ParameterTensor output = OutputWeight(*actor_network_);
  const auto end = driving.begin() + std::ptrdiff_t(output.offset + output.size());
  driving.erase(end - output.shape[1], end);
  driving.pop_back();
  return driving;
}

void ActorCritic::Act(std::span<const std::byte> observations, const ActionNoise& noise,
                      ThreadPool& pool, const ActOutputs& outputs) {
  pool.ParallelFor(kNumShards, [&](int begin, int end, int) {
    for (int shard = begin; shard < end; ++shard) {
      const RowRange rows = ShardRows(spec_.num_envs, shard);
      if (rows.size() > 0) ActShard(rows, observations, noise, outputs, *shards_[size_t(shard)]);
    }
  });
}

void ActorCritic::ActShard(const RowRange& rows, std::span<const std::byte> observations,
                           const ActionNoise& noise, const ActOutputs& outputs,
                           ActorCriticWork& work) const {
  const size_t row_bytes = spec_.row.row_bytes;
  work.Gather(*this,
              observations.subspan(size_t(rows.begin) * row_bytes, size_t(rows.size()) * row_bytes),
              0);
  const auto [heads, values] = work.Forward(*this, rows.size());
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
  const size_t rows_at_once = size_t(rows_per_shard_);
  const size_t row_bytes = spec_.row.row_bytes;
  for (size_t begin = 0; begin < values.size(); begin += rows_at_once) {
    const size_t count = std::min(rows_at_once, values.size() - begin);
    const auto found = shards_.front()->ValuesOf(
        *this, observations.subspan(begin * row_bytes, count * row_bytes));
    std::copy(found.begin(), found.end(), values.begin() + std::ptrdiff_t(begin));
  }
}

}  // namespace lapforge::agents
