#include "agents/algorithms/adam.h"

#include <cmath>
#include <limits>

namespace lapforge::agents {
namespace {

constexpr float kBeta1 = 0.9f;
constexpr float kBeta2 = 0.999f;

// What one step is for every parameter.
struct StepNumbers {
  float gradient_scale;
  float step_size;          // learning rate over the first moment's correction
  float square_correction;  // 1 / (1 - beta2^t)
  float epsilon;
};

__attribute__((target_clones("default", "avx2", "avx512f"))) void StepAll(
    const StepNumbers step, const float* __restrict gradients, float* __restrict parameters,
    AdamState& state) {
  float* __restrict const mean = state.mean.data();
  float* __restrict const square = state.square.data();
  const size_t count = state.mean.size();
  for (size_t i = 0; i < count; ++i) {
    const float gradient = gradients[i] * step.gradient_scale;
    mean[i] = kBeta1 * mean[i] + (1 - kBeta1) * gradient;
    square[i] = kBeta2 * square[i] + (1 - kBeta2) * gradient * gradient;
    parameters[i] -= step.step_size * mean[i] /
                     (__builtin_sqrtf(square[i] * step.square_correction) + step.epsilon);
  }
}

}  // namespace

void AdamStep(double learning_rate, double epsilon, float gradient_scale,
              std::span<const float> gradients, std::span<float> parameters, AdamState& state) {
  ++state.num_steps;
  const double steps = static_cast<double>(state.num_steps);
  const double mean_correction = 1 - std::pow(0.9, steps);
  const double square_correction = 1 - std::pow(0.999, steps);
  StepAll({gradient_scale, static_cast<float>(learning_rate / mean_correction),
           static_cast<float>(1 / square_correction), static_cast<float>(epsilon)},
          gradients.data(), parameters.data(), state);
}

float ClipScale(std::span<const float> gradients, double max_norm) {
  double squares = 0;
  for (const float gradient : gradients) squares += static_cast<double>(gradient) * gradient;
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm)) return std::numeric_limits<float>::quiet_NaN();
  return norm <= max_norm ? 1.0f : static_cast<float>(max_norm / norm);
}

}  // namespace lapforge::agents
