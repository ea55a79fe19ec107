#include "sim/car/action_map.h"

#include <algorithm>

#include "sim/base/assert.h"

namespace lapforge::sim {
namespace {

// -1 at low, 1 at high; 0 where the two are the same.
double ScaleBetween(double low, double high, double value) {
  return high > low ? 2 * (value - low) / (high - low) - 1 : 0;
}

}  // namespace

ActionMap::ActionMap(const ActionOptions& options)
    : low_{RadFromDeg(options.steering_low_deg), options.speed_low_mps},
      high_{RadFromDeg(options.steering_high_deg), options.speed_high_mps} {
  if (options.kind != ActionKind::kDiscrete) return;

  const auto [steering_low, steering_high] = std::minmax_element(
      options.discrete_steering_deg.begin(), options.discrete_steering_deg.end());
  const auto [speed_low, speed_high] =
      std::minmax_element(options.discrete_speed_mps.begin(), options.discrete_speed_mps.end());
  for (int i = 0; i < static_cast<int>(options.discrete_speed_mps.size()); ++i) {
    const double steering_deg = options.discrete_steering_deg[i];
    const double speed_mps = options.discrete_speed_mps[i];
    table_.push_back({{RadFromDeg(steering_deg), speed_mps},
                      {ScaleBetween(*steering_low, *steering_high, steering_deg),
                       ScaleBetween(*speed_low, *speed_high, speed_mps)},
                      i});
  }
}

Action ActionMap::FromNumbers(std::span<const float> numbers) const {
  if (!table_.empty()) {
    const float number = numbers[0];
    LAPFORGE_ASSERT(number >= 0 && number < static_cast<float>(table_.size()),
                    "a discrete action is the index of a row");
    return table_[static_cast<size_t>(number)];
  }
  Action action;
  for (int i = 0; i < 2; ++i) action.scaled[i] = Clamp<double>(numbers[i], -1, 1);
  action.command.steering_rad =
      Lerp(low_.steering_rad, high_.steering_rad, 0.5 + 0.5 * action.scaled[0]);
  action.command.speed_mps = Lerp(low_.speed_mps, high_.speed_mps, 0.5 + 0.5 * action.scaled[1]);
  return action;
}

}  // namespace lapforge::sim
