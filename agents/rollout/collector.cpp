#include "agents/rollout/collector.h"

#include <algorithm>

namespace lapforge::agents {

Collector::Collector(Environment* environment, ActorCritic* nets, ObservationNormalizer* normalizer,
                     ThreadPool* pool, uint64_t seed)
    : environment_(environment), nets_(nets), normalizer_(normalizer), pool_(pool), seed_(seed) {
  const EnvironmentSpec& spec = environment->spec();
  observations_.resize(size_t(spec.num_envs) * size_t(spec.observation_dim));
  environment_->Reset(observations_);
}

Result<bool> Collector::Collect(RolloutBuffer& buffer, const std::function<bool()>& should_stop) {
  const int dim = buffer.spec.observation_dim;
  raw_rollout_.clear();
  for (int step = 0; step < buffer.horizon; ++step) {
    if (should_stop && should_stop()) return false;

    // what is seen goes into its row once, scaled as the nets want it
    const std::span<float> row = buffer.StepOf(buffer.observations, step, dim);
    std::copy(observations_.begin(), observations_.end(), row.begin());
    if (normalizer_->is_on()) {
      raw_rollout_.insert(raw_rollout_.end(), observations_.begin(), observations_.end());
      normalizer_->Normalize(row);
    }

    const std::span<float> actions = buffer.StepOf(buffer.actions, step, buffer.spec.action_dim);
    nets_->Act(
        row, {seed_, control_step_++}, *pool_,
        {actions, buffer.StepOf(buffer.log_probs, step), buffer.StepOf(buffer.values, step)});
    LAPFORGE_CHECK_OK(environment_->Step(
        {actions, observations_, buffer.StepOf(buffer.final_observations, step, dim),
         buffer.StepOf(buffer.rewards, step), buffer.StepOf(buffer.terminated, step),
         buffer.StepOf(buffer.truncated, step)}));
  }

  // what comes after the rollout, and after each truncated episode in it
  const std::span<float> last = buffer.StepOf(buffer.observations, buffer.horizon, dim);
  std::copy(observations_.begin(), observations_.end(), last.begin());
  normalizer_->Normalize(last);
  nets_->Values(last, buffer.StepOf(buffer.values, buffer.horizon));
  ComputeFinalValues(buffer);
  normalizer_->Count(raw_rollout_);
  return true;
}

void Collector::ComputeFinalValues(RolloutBuffer& buffer) {
  const size_t dim = size_t(buffer.spec.observation_dim);
  final_samples_.clear();
  final_rows_.clear();
  for (size_t sample = 0; sample < buffer.truncated.size(); ++sample) {
    if (buffer.truncated[sample] == 0) continue;
    final_samples_.push_back(sample);
    const auto row = buffer.final_observations.begin() + std::ptrdiff_t(sample * dim);
    final_rows_.insert(final_rows_.end(), row, row + std::ptrdiff_t(dim));
  }
  normalizer_->Normalize(final_rows_);
  std::vector<float> values(final_samples_.size());
  nets_->Values(final_rows_, values);
  for (size_t i = 0; i < values.size(); ++i) buffer.final_values[final_samples_[i]] = values[i];
}

void Collector::Save(ByteWriter& writer) const {
  writer.Write(control_step_);
  writer.Write(observations_);
}

bool Collector::Restore(ByteReader& reader) {
  uint32_t control_step = 0;
  std::vector<float> observations;
  reader.Read(control_step);
  reader.Read(observations);
  if (!reader.ok() || observations.size() != observations_.size()) return false;
  control_step_ = control_step;
  observations_ = std::move(observations);
  return true;
}

}  // namespace lapforge::agents
