// Adam (Kingma and Ba 2014, arXiv:1412.6980, algorithm 1) on a flat array.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lapforge::agents {

// Moments and step count of one parameter array; plain data, saved with checkpoints.
struct AdamState {
  std::vector<float> mean;    // first moment
  std::vector<float> square;  // second moment
  int64_t num_steps = 0;

  explicit AdamState(size_t num_parameters = 0) : mean(num_parameters), square(num_parameters) {}
};

// One step with beta 0.9 and 0.999 against `gradients`, which are multiplied by `gradient_scale`
// first (for clipping by norm).
void AdamStep(double learning_rate, double epsilon, float gradient_scale,
              std::span<const float> gradients, std::span<float> parameters, AdamState& state);

// Scale that brings the norm of `gradients` down to `max_norm`, at most 1; NaN where one is not
// finite.
float ClipScale(std::span<const float> gradients, double max_norm);

}  // namespace lapforge::agents
