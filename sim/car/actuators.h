// From commands to what the wheels get: limits, latency, first-order lags of servo and motor.
#pragma once

#include <array>

#include "sim/car.h"

namespace lapforge::sim {

// The mutable part, one per car.
struct ActuatorState {
  std::array<CarCommand, kMaxLatencySteps> waiting{};  // oldest first
  CarCommand target;                                   // what acts now, within the car's limits
  double steering_rad = 0;                             // after the lags
  double drive_speed_mps = 0;
};

// The constant part of one car at one substep length.
class Actuators {
 public:
  Actuators(const CarSpec& spec, double substep_s);

  // Wheels straight, motor and every waiting command at `speed_mps`.
  ActuatorState AtRest(double speed_mps) const;

  // A new control step: takes in `command`, lets the oldest waiting one act.
  void Command(const CarCommand& command, ActuatorState& state) const;

  // One substep nearer to the target.
  void Advance(ActuatorState& state) const {
    state.steering_rad += steering_gain_ * (state.target.steering_rad - state.steering_rad);
    state.drive_speed_mps += motor_gain_ * (state.target.speed_mps - state.drive_speed_mps);
  }

 private:
  int latency_steps_;
  double max_steering_rad_;
  double min_speed_mps_;
  double max_speed_mps_;
  double steering_gain_;  // share of the way gone in a substep: 1 - exp(-h / lag)
  double motor_gain_;
};

}  // namespace lapforge::sim
