// Rewards in units of how much discounted returns vary, whatever a user's reward pays (Engstrom et
// al. 2020, arXiv:2005.12729, "reward scaling").
#pragma once

#include <vector>

#include "agents/rollout/rollout_buffer.h"
#include "sim/base/byte_buffer.h"

namespace lapforge::agents {

class ReturnScale {
 public:
  explicit ReturnScale(int num_envs) : returns_(size_t(num_envs)) {}

  // Counts the rollout's returns, then divides its rewards by the deviation of all so far.
  void ScaleRewards(double discount, RolloutBuffer& buffer);

  void Save(ByteWriter& writer) const;
  // False where the bytes do not fit.
  bool Restore(ByteReader& reader);

 private:
  std::vector<double> returns_;  // [num_envs], discounted from the past of the episode
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of squared deviations (Welford 1962)
};

}  // namespace lapforge::agents
