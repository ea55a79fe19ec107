// The car: constant description, commanded and mutable state.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/math.h"
#include "sim/base/option_fields.h"
#include "sim/base/result.h"

namespace lapforge::sim {

inline constexpr int kNumWheels = 4;
inline constexpr int kMaxLatencySteps = 8;
enum WheelIndex { kRearLeft = 0, kRearRight = 1, kFrontLeft = 2, kFrontRight = 3 };

enum class SteeringGeometry { kAckermann, kParallel };
// How a commanded speed turns the wheels. Closed loop: as the car's own speed controller, within
// the motor's torque. Open loop: throttle = speed / top speed. Kinematic: all wheels turn at the
// commanded speed whatever it takes, as in versions 5 and 6 of DeepRacer's simulator.
enum class SpeedControl { kClosedLoop, kOpenLoop, kKinematic };

// Everything constant about a car. Built-in specs state the source of every number in their file.
struct CarSpec {
  std::string name = "rc_1_18";

  // chassis (body frame: origin at the centre of mass, x forward, y left, z up)
  double mass_kg = 0;
  Vec3 inertia_kgm2;
  double com_height_m = 0;  // above the ground at rest
  double com_to_front_axle_m = 0;
  double com_to_rear_axle_m = 0;
  double front_axle_track_m = 0;  // left to right wheel
  double rear_axle_track_m = 0;
  double body_length_m = 0;  // collision box, about the centre of mass
  double body_width_m = 0;
  double body_height_m = 0;
  double front_point_m = 0;    // DeepRacer's model point P, ahead of the model origin
  double origin_to_com_m = 0;  // centre of mass ahead of the model origin
  double com_left_m = 0;       // and left of the middle between the wheels

  // wheels, suspension, tyres (spec/simulation.md section 1)
  double wheel_radius_m = 0;
  double wheel_inertia_kgm2 = 0;
  double suspension_stiffness_1ps2 = 250;  // per wheel and kg of chassis
  double suspension_damping_ratio = 0.5;
  double suspension_travel_m = 0.01;       // up and down from rest
  double friction = 1.0;                   // mu
  double tire_stiffness_factor = 8;        // B of mu * N * sin(C * atan(B * slip))
  double tire_shape_factor = 1.4;          // C
  double rolling_resistance_frac = 0.015;  // of the normal load

  // drive and steering
  SteeringGeometry steering_geometry = SteeringGeometry::kAckermann;
  SpeedControl speed_control = SpeedControl::kClosedLoop;
  double drive_front_frac = 0.5;  // share of the drive torque on the front axle
  double max_steering_rad = 0.5236;
  double min_speed_cmd_mps = 0;  // commands are clipped to this range by the actuators
  double max_speed_cmd_mps = 4;
  double max_drive_torque_nm = 0;  // all wheels together
  double max_brake_torque_nm = 0;
  double speed_gain_1ps = 0;  // closed loop: wanted acceleration per speed error
  double steering_lag_s = 0;  // first order
  double motor_lag_s = 0;
  int control_latency_steps = 0;  // 0 .. kMaxLatencySteps

  double wheelbase_m() const { return com_to_front_axle_m + com_to_rear_axle_m; }
  // P from the centre of mass: ahead, left.
  Vec2 com_to_front_point_m() const { return {front_point_m - origin_to_com_m, -com_left_m}; }
};

// What a driver asks of a car.
struct CarCommand {
  double steering_rad = 0;  // mean road-wheel angle, left positive
  double speed_mps = 0;
};

// Lists every field once, with its range.
void VisitFields(CarSpec& spec, FieldVisitor& visitor);

// Ranges of all fields and the rules between fields; the message names the key.
Result<void> Validate(const CarSpec& spec);

// What a car can do on a flat floor, from closed forms.
struct CarLimits {
  double turning_radius_m = 0;  // of the middle of the rear axle, at full lock and walking pace
  double top_speed_mps = 0;
  double lateral_mps2 = 0;       // friction times g
  double acceleration_mps2 = 0;  // the motor's, or friction times g where that is less
  double braking_mps2 = 0;
  double tipping_mps2 = 0;  // sideways, at which the inner wheels would lift
};

CarLimits LimitsOf(const CarSpec& spec);

// Built-in cars, sorted by name, and one of them by name.
std::vector<std::string> BuiltInCarNames();
Result<CarSpec> LoadBuiltInCar(std::string_view name);
// A built-in name, or a `.textproto` file of CarSpec fields.
Result<CarSpec> LoadCar(const std::string& name_or_path);

// Ground truth about one car at one instant; plain data, in world and body frames as named.
struct CarState {
  Vec3 position_world_m;  // of the centre of mass
  double yaw_rad = 0;
  double pitch_rad = 0;
  double roll_rad = 0;
  Vec3 velocity_body_mps;            // x forward, y left, z up
  Vec3 angular_velocity_body_radps;  // z is the yaw rate
  std::array<double, kNumWheels> wheel_speed_radps{};
  std::array<double, kNumWheels> normal_load_n{};
  std::array<double, kNumWheels> slip_ratio{};
  std::array<double, kNumWheels> tire_slip_angle_rad{};
  double steering_rad = 0;     // mean road-wheel angle, after lag
  double drive_speed_mps = 0;  // the speed the motor is asked for, after lag
};

}  // namespace lapforge::sim
