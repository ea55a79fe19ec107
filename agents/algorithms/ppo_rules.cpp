#include "agents/algorithms/ppo_rules.h"

#include <algorithm>

namespace lapforge::agents {
namespace {

// How far ppo.target_kl may carry the learning rate from its schedule, and in which steps.
constexpr double kRateStep = 1.5;
constexpr double kSmallestRateFactor = 0.01;
constexpr double kLargestRateFactor = 10;

}  // namespace

double NextRateFactor(const PpoOptions& options, double factor, double approx_kl) {
  if (options.target_kl == 0) return factor;
  if (approx_kl > 2 * options.target_kl) factor /= kRateStep;
  if (approx_kl < options.target_kl / 2) factor *= kRateStep;
  return std::clamp(factor, kSmallestRateFactor, kLargestRateFactor);
}

}  // namespace lapforge::agents
