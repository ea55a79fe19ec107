// Generalized advantage estimation (Schulman et al. 2015, arXiv:1506.02438, equation 16).
#pragma once

#include <cstdint>
#include <span>

namespace lapforge::agents {

// One rollout, all arrays [horizon, num_envs] row-major but where noted.
struct GaeInputs {
  int horizon = 0;
  int num_envs = 0;
  std::span<const float> rewards;
  std::span<const float> values;        // of the observation each action answered
  std::span<const uint8_t> terminated;  // the task ended: no value after it
  std::span<const uint8_t> truncated;   // cut: goes on with the final observation's value
  std::span<const float> final_values;  // read where truncated
  std::span<const float> last_values;   // [num_envs] of the observations after the rollout
};

// Writes advantages and value targets (advantage + value), both [horizon, num_envs].
void ComputeGae(const GaeInputs& inputs, double discount, double gae_lambda,
                std::span<float> advantages, std::span<float> value_targets);

}  // namespace lapforge::agents
