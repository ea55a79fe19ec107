#include "agents/algorithms/gae.h"

namespace lapforge::agents {

void ComputeGae(const GaeInputs& inputs, double discount, double gae_lambda,
                std::span<float> advantages, std::span<float> value_targets) {
  for (int env = 0; env < inputs.num_envs; ++env) {
    double next_value = inputs.last_values[size_t(env)];
    double next_advantage = 0;
    for (int step = inputs.horizon - 1; step >= 0; --step) {
      const size_t at = size_t(step) * size_t(inputs.num_envs) + size_t(env);

      // an episode's end cuts the sum; a truncated one still has a future, seen in its last value
      if (inputs.terminated[at] != 0) {
        next_value = 0;
        next_advantage = 0;
      } else if (inputs.truncated[at] != 0) {
        next_value = inputs.final_values[at];
        next_advantage = 0;
      }
      const double value = inputs.values[at];
      const double error = inputs.rewards[at] + discount * next_value - value;
      next_advantage = error + discount * gae_lambda * next_advantage;
      advantages[at] = static_cast<float>(next_advantage);
      value_targets[at] = static_cast<float>(next_advantage + value);
      next_value = value;
    }
  }
}

}  // namespace lapforge::agents
