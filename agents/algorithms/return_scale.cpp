#include "agents/algorithms/return_scale.h"

#include <cmath>

namespace lapforge::agents {
namespace {

constexpr double kSmallestVariance = 1e-8;

}  // namespace

void ReturnScale::ScaleRewards(double discount, RolloutBuffer& buffer) {
  for (size_t sample = 0; sample < buffer.rewards.size(); ++sample) {
    double& sum = returns_[sample % returns_.size()];
    sum = discount * sum + static_cast<double>(buffer.rewards[sample]);
    ++count_;
    const double difference = sum - mean_;
    mean_ += difference / count_;
    squares_ += difference * (sum - mean_);
    if (buffer.terminated[sample] != 0 || buffer.truncated[sample] != 0) sum = 0;
  }
  const double scale = 1 / std::sqrt(squares_ / count_ + kSmallestVariance);
  for (float& reward : buffer.rewards) reward = static_cast<float>(reward * scale);
}

void ReturnScale::Save(ByteWriter& writer) const {
  writer.Write(returns_);
  writer.Write(count_);
  writer.Write(mean_);
  writer.Write(squares_);
}

bool ReturnScale::Restore(ByteReader& reader) {
  const size_t num_envs = returns_.size();
  reader.Read(returns_);
  reader.Read(count_);
  reader.Read(mean_);
  reader.Read(squares_);
  return reader.ok() && returns_.size() == num_envs;
}

}  // namespace lapforge::agents
