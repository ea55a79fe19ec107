#include "sim/car/action_map.h"

#include <algorithm>
#include <cmath>

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
  low_ = {RadFromDeg(*steering_low), *speed_low};
  high_ = {RadFromDeg(*steering_high), *speed_high};
  for (int i = 0; i < static_cast<int>(options.discrete_speed_mps.size()); ++i) {
    const CarCommand command = {RadFromDeg(options.discrete_steering_deg[i]),
                                options.discrete_speed_mps[i]};
    table_.push_back({command, ScaledOf(command), i});
  }
}

std::array<double, 2> ActionMap::ScaledOf(const CarCommand& command) const {
  return {ScaleBetween(low_.steering_rad, high_.steering_rad, command.steering_rad),
          ScaleBetween(low_.speed_mps, high_.speed_mps, command.speed_mps)};
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

void ActionMap::ToNumbers(const CarCommand& command, std::span<float> numbers) const {
  const std::array<double, 2> wanted = ScaledOf(command);
  if (table_.empty()) {
    for (int i = 0; i < 2; ++i) numbers[i] = static_cast<float>(Clamp(wanted[i], -1.0, 1.0));
    return;
  }
  const auto distance = [&](const Action& action) {
    return std::hypot(action.scaled[0] - wanted[0], action.scaled[1] - wanted[1]);
  };
  const auto nearest =
      std::min_element(table_.begin(), table_.end(),
                       [&](const Action& a, const Action& b) { return distance(a) < distance(b); });
  numbers[0] = static_cast<float>(nearest->index);
}

}  // namespace lapforge::sim
