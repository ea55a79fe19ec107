#include "agents/rollout/collector.h"

#include <algorithm>

namespace lapforge::agents {

Collector::Collector(Environment* environment, ActorCritic* nets, ObservationNormalizer* normalizer,
                     ThreadPool* pool, uint64_t seed)
    : environment_(environment), nets_(nets), normalizer_(normalizer), pool_(pool), seed_(seed) {
  const EnvironmentSpec& spec = environment->spec();
  observations_.resize(size_t(spec.num_envs) * spec.row.row_bytes);
  final_observations_.resize(observations_.size());
  environment_->Reset(observations_);
}

Result<bool> Collector::Collect(RolloutBuffer& buffer, const std::function<bool()>& should_stop) {
  const size_t row_bytes = buffer.spec.row.row_bytes;
  raw_rollout_.clear();
  final_rows_.clear();
  final_samples_.clear();
  for (int step = 0; step < buffer.horizon; ++step) {
    if (should_stop && should_stop()) return false;

    // what is seen goes into its row once, scaled as the nets want it
    const std::span<std::byte> row = buffer.StepOf(buffer.observations, step, row_bytes);
    std::copy(observations_.begin(), observations_.end(), row.begin());
    if (normalizer_->is_on()) {
      raw_rollout_.insert(raw_rollout_.end(), observations_.begin(), observations_.end());
      normalizer_->Normalize(FloatsOf(row));
    }

    const std::span<float> actions =
        buffer.StepOf(buffer.actions, step, size_t(buffer.spec.action_dim));
    nets_->Act(
        row, {seed_, control_step_++}, *pool_,
        {actions, buffer.StepOf(buffer.log_probs, step), buffer.StepOf(buffer.values, step)});
    LAPFORGE_CHECK_OK(environment_->Step(
        {actions, observations_, final_observations_, buffer.StepOf(buffer.rewards, step),
         buffer.StepOf(buffer.terminated, step), buffer.StepOf(buffer.truncated, step)}));
    KeepFinalRows(buffer, step);
  }

  // what comes after the rollout, and after each truncated episode in it
  const std::span<std::byte> last = buffer.StepOf(buffer.observations, buffer.horizon, row_bytes);
  std::copy(observations_.begin(), observations_.end(), last.begin());
  normalizer_->Normalize(FloatsOf(last));
  nets_->Values(last, buffer.StepOf(buffer.values, buffer.horizon));
  ComputeFinalValues(buffer);
  normalizer_->Count(FloatsOf(raw_rollout_));
  return true;
}

void Collector::KeepFinalRows(const RolloutBuffer& buffer, int step) {
  const size_t num_envs = size_t(buffer.spec.num_envs);
  const size_t row_bytes = buffer.spec.row.row_bytes;
  for (size_t env = 0; env < num_envs; ++env) {
    const size_t sample = size_t(step) * num_envs + env;
    if (buffer.truncated[sample] == 0) continue;
    final_samples_.push_back(sample);
    const auto row = final_observations_.begin() + std::ptrdiff_t(env * row_bytes);
    final_rows_.insert(final_rows_.end(), row, row + std::ptrdiff_t(row_bytes));
  }
}

void Collector::ComputeFinalValues(RolloutBuffer& buffer) {
  normalizer_->Normalize(FloatsOf(final_rows_));
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
  std::vector<std::byte> observations;
  reader.Read(control_step);
  reader.Read(observations);
  if (!reader.ok() || observations.size() != observations_.size()) return false;
  control_step_ = control_step;
  observations_ = std::move(observations);
  return true;
}

}  // namespace lapforge::agents
