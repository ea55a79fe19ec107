#include "sim/car/actuators.h"

#include <algorithm>
#include <cmath>

namespace lapforge::sim {
namespace {

double GainOf(double lag_s, double substep_s) {
  return lag_s > 0 ? 1 - std::exp(-substep_s / lag_s) : 1;
}

}  // namespace

Actuators::Actuators(const CarSpec& spec, double substep_s)
    : latency_steps_(spec.control_latency_steps),
      max_steering_rad_(spec.max_steering_rad),
      min_speed_mps_(spec.min_speed_cmd_mps),
      max_speed_mps_(spec.max_speed_cmd_mps),
      steering_gain_(GainOf(spec.steering_lag_s, substep_s)),
      motor_gain_(GainOf(spec.motor_lag_s, substep_s)) {}

ActuatorState Actuators::AtRest(double speed_mps) const {
  ActuatorState state;
  state.waiting.fill({0, speed_mps});
  state.target = {0, speed_mps};
  state.drive_speed_mps = speed_mps;
  return state;
}

void Actuators::Command(const CarCommand& command, ActuatorState& state) const {
  CarCommand acting = command;
  if (latency_steps_ > 0) {
    acting = state.waiting[0];
    std::copy(state.waiting.begin() + 1, state.waiting.begin() + latency_steps_,
              state.waiting.begin());
    state.waiting[latency_steps_ - 1] = command;
  }
  state.target.steering_rad = Clamp(acting.steering_rad, -max_steering_rad_, max_steering_rad_);
  state.target.speed_mps = Clamp(acting.speed_mps, min_speed_mps_, max_speed_mps_);
}

}  // namespace lapforge::sim
