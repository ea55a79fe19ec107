#include <algorithm>
#include <cmath>

#include "sim/car.h"
#include "sim/physics/vehicle.h"

namespace lapforge::sim {

CarLimits LimitsOf(const CarSpec& spec) {
  const double grip_mps2 = spec.friction * kGravityMps2;
  const double mass_radius = spec.mass_kg * spec.wheel_radius_m;
  CarLimits limits;
  limits.turning_radius_m = spec.wheelbase_m() / std::tan(spec.max_steering_rad);
  limits.top_speed_mps = spec.max_speed_cmd_mps;
  limits.lateral_mps2 = grip_mps2;
  limits.acceleration_mps2 = std::min(spec.max_drive_torque_nm / mass_radius, grip_mps2);
  limits.braking_mps2 = std::min(spec.max_brake_torque_nm / mass_radius, grip_mps2);
  limits.tipping_mps2 = kGravityMps2 * std::min(spec.front_axle_track_m, spec.rear_axle_track_m) /
                        (2 * spec.com_height_m);
  return limits;
}

}  // namespace lapforge::sim
