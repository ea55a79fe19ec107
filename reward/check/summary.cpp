#include "reward/check/summary.h"

#include <algorithm>

namespace lapforge::reward {

RewardedDrive SummarizeRewards(std::span<const double> rewards, double discount) {
  RewardedDrive summary;
  if (rewards.empty()) return summary;
  summary.num_steps = static_cast<int>(rewards.size());
  summary.min_reward = *std::min_element(rewards.begin(), rewards.end());
  summary.max_reward = *std::max_element(rewards.begin(), rewards.end());
  double weight = 1;
  for (const double reward : rewards) {
    summary.total_reward += reward;
    summary.discounted_return += weight * reward;
    weight *= discount;
  }
  summary.mean_reward = summary.total_reward / double(rewards.size());
  return summary;
}

}  // namespace lapforge::reward
