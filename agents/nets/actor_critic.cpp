#include "agents/nets/actor_critic.h"

#include <algorithm>

namespace lapforge::agents {
namespace {

MlpShape ShapeOf(int num_inputs, const std::vector<int64_t>& hidden, int num_outputs) {
  MlpShape shape{num_inputs, {}, num_outputs};
  for (const int64_t units : hidden) shape.hidden.push_back(static_cast<int>(units));
  return shape;
}

}  // namespace

RowRange ShardRows(int num_rows, int shard) {
  return {num_rows * shard / kNumShards, num_rows * (shard + 1) / kNumShards};
}

ActorCritic::ActorCritic(const EnvironmentSpec& spec, const NetOptions& options, uint64_t seed)
    : spec_(spec),
      min_log_std_(options.min_log_std),
      actor_shape_(ShapeOf(spec.observation_dim, options.hidden_units, spec.num_outputs)),
      critic_shape_(ShapeOf(spec.observation_dim, options.hidden_units, 1)),
      actor_(NumParameters(actor_shape_)),
      critic_(NumParameters(critic_shape_)) {
  RngStream actor_random(seed, 0, 0, RngPurpose::kNetInit);
  RngStream critic_random(seed, 1, 0, RngPurpose::kNetInit);
  InitMlp(actor_shape_, options.last_layer_gain, actor_random, actor_);
  InitMlp(critic_shape_, 1.0, critic_random, critic_);
  if (spec.kind == DistributionKind::kGaussian) {
    actor_.resize(actor_.size() + size_t(spec.action_dim),
                  static_cast<float>(options.initial_log_std));
  }
  const int rows_per_shard = (spec.num_envs + kNumShards - 1) / kNumShards;
  for (int shard = 0; shard < kNumShards; ++shard) {
    actor_work_.emplace_back(actor_shape_, rows_per_shard);
    critic_work_.emplace_back(critic_shape_, rows_per_shard);
  }
}

std::span<const float> ActorCritic::actor_net() const {
  return std::span(actor_).first(NumParameters(actor_shape_));
}

std::span<const float> ActorCritic::log_std() const {
  return std::span(actor_).subspan(NumParameters(actor_shape_));
}

void ActorCritic::ApplyLogStdFloor() {
  const float floor = static_cast<float>(min_log_std_);
  for (size_t i = NumParameters(actor_shape_); i < actor_.size(); ++i) {
    actor_[i] = std::max(actor_[i], floor);
  }
}

void ActorCritic::Act(std::span<const float> observations, const ActionNoise& noise,
                      ThreadPool& pool, const ActOutputs& outputs) {
  pool.ParallelFor(kNumShards, [&](int begin, int end, int) {
    for (int shard = begin; shard < end; ++shard) {
      const RowRange rows = ShardRows(spec_.num_envs, shard);
      if (rows.size() == 0) continue;
      const size_t dim = size_t(spec_.observation_dim);
      const auto inputs = observations.subspan(size_t(rows.begin) * dim, size_t(rows.size()) * dim);
      MlpWorkspace<float>& actor = actor_work_[size_t(shard)];
      MlpWorkspace<float>& critic = critic_work_[size_t(shard)];
      std::copy(inputs.begin(), inputs.end(), actor.inputs().begin());
      std::copy(inputs.begin(), inputs.end(), critic.inputs().begin());
      const auto heads = actor.Forward(actor_net(), rows.size());
      const auto values = critic.Forward(critic_, rows.size());
      std::copy(values.begin(), values.end(), outputs.values.begin() + rows.begin);

      // one draw per env and step, whoever computes it
      for (int env = rows.begin; env < rows.end; ++env) {
        const size_t row = size_t(env - rows.begin);
        const auto head = heads.subspan(row * size_t(spec_.num_outputs), size_t(spec_.num_outputs));
        const auto action = outputs.actions.subspan(size_t(env) * size_t(spec_.action_dim),
                                                    size_t(spec_.action_dim));
        RngStream random(noise.seed, uint32_t(env), noise.step, RngPurpose::kActionNoise);
        SampleAction(spec_.kind, head, log_std(), random, action);
        outputs.log_probs[size_t(env)] =
            ProbabilityOf<float>(spec_.kind, {head, log_std(), action}).log_prob;
      }
    }
  });
}

void ActorCritic::Values(std::span<const float> observations, std::span<float> values) {
  const size_t dim = size_t(spec_.observation_dim);
  MlpWorkspace<float>& work = critic_work_.front();
  const size_t rows_at_once = work.inputs().size() / dim;
  for (size_t begin = 0; begin < values.size(); begin += rows_at_once) {
    const size_t count = std::min(rows_at_once, values.size() - begin);
    const auto inputs = observations.subspan(begin * dim, count * dim);
    std::copy(inputs.begin(), inputs.end(), work.inputs().begin());
    const auto outputs = work.Forward(critic_, static_cast<int>(count));
    std::copy(outputs.begin(), outputs.end(), values.begin() + std::ptrdiff_t(begin));
  }
}

}  // namespace lapforge::agents
