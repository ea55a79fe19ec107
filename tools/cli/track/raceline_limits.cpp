#include "tools/cli/track/raceline_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lapforge::cli {
namespace {

constexpr double kGravityMps2 = 9.81;

// The largest value of sin(C * atan(slip)).
double PeakGrip(const sim::CarSpec& car) {
  return car.friction * std::sin(std::min(0.5 * kPi, 0.5 * kPi * car.tire_shape_factor));
}

// The acceleration at which an axle that bears `load_frac` of the weight at rest, and gains
// `gain_s2pm` of it per m/s2, needs more than its grip for its share of the force.
double AxleLimit(double grip, double load_frac, double gain_s2pm, double force_frac) {
  const double needed = force_frac / kGravityMps2 - grip * gain_s2pm;
  return needed > 0 ? grip * load_frac / needed : std::numeric_limits<double>::infinity();
}

// Of driving (sign 1) or braking (sign -1): the axle that lets go first.
double GripLimit(const sim::CarSpec& car, double sign) {
  const double grip = PeakGrip(car);
  const double front_frac = car.com_to_rear_axle_m / car.wheelbase_m();
  const double to_rear_s2pm = sign * car.com_height_m / (car.wheelbase_m() * kGravityMps2);
  return std::min(AxleLimit(grip, front_frac, -to_rear_s2pm, car.drive_front_frac),
                  AxleLimit(grip, 1 - front_frac, to_rear_s2pm, 1 - car.drive_front_frac));
}

}  // namespace

tracks::RacelineLimits LimitsOf(const sim::CarSpec& car, double margin_m) {
  const double wheels_kg =
      sim::kNumWheels * car.wheel_inertia_kgm2 / (car.wheel_radius_m * car.wheel_radius_m);
  const double newtons_per_mps2 = car.mass_kg + wheels_kg;
  const double rolling_mps2 = car.rolling_resistance_frac * kGravityMps2;
  const auto accel_of = [&](double torque_nm) {
    return torque_nm / (car.wheel_radius_m * newtons_per_mps2);
  };

  tracks::RacelineLimits limits;
  limits.lateral_accel_mps2 = kGravityMps2 * PeakGrip(car);
  limits.longitudinal_accel_mps2 =
      std::min({GripLimit(car, 1), GripLimit(car, -1), limits.lateral_accel_mps2});
  limits.brake_decel_mps2 = accel_of(car.max_brake_torque_nm) + rolling_mps2;

  // closed loop: full torque until the speed error asks for less; open loop: falls all the way
  const double full_mps2 = std::max(0.02, accel_of(car.max_drive_torque_nm) - rolling_mps2);
  const double top_mps = car.max_speed_cmd_mps;
  const double fall_mps = car.speed_control == sim::SpeedControl::kClosedLoop
                              ? std::min(top_mps, full_mps2 / car.speed_gain_1ps)
                              : top_mps;
  limits.motor.clear();
  if (fall_mps < top_mps) limits.motor.push_back({0, full_mps2});
  limits.motor.push_back({top_mps - fall_mps, full_mps2});
  limits.motor.push_back({top_mps, 0});

  // all grip of the front axle to one side, all of the rear axle to the other
  limits.yaw_accel_radps2 = 2 * PeakGrip(car) * car.mass_kg * kGravityMps2 *
                            car.com_to_front_axle_m * car.com_to_rear_axle_m /
                            (car.wheelbase_m() * car.inertia_kgm2.z);

  limits.car_width_m = car.body_width_m;
  limits.margin_m = margin_m;
  limits.max_curvature_1pm = std::tan(car.max_steering_rad) / car.wheelbase_m();
  return limits;
}

}  // namespace lapforge::cli
