// The four-wheel vehicle: what suspension, tyres, motor and ground do to the chassis in one
// substep.
#pragma once

#include <array>

#include "sim/car.h"
#include "sim/physics/tire_curve.h"

class btRigidBody;

namespace lapforge::sim {

inline constexpr double kGravityMps2 = 9.81;

// What the actuators give the car in one substep, after their lags.
struct DriveInput {
  float steering_rad = 0;     // mean road-wheel angle
  float drive_speed_mps = 0;  // what the motor is asked for
};

// Everything constant about a car driven in substeps of one length, in the numbers the substep
// uses.
struct VehicleModel {
  struct Wheel {
    float x_m = 0;  // from the centre of mass
    float y_m = 0;
    float rest_load_n = 0;
    float motor_gain_nms = 0;  // torque per missing rad/s
    float max_drive_nm = 0;
    float max_brake_nm = 0;
  };

  VehicleModel(const CarSpec& spec, double substep_s);

  CarSpec spec;
  float substep_s;
  float weight_n;
  bool is_kinematic;  // the motor turns every wheel exactly as asked
  TireCurve tire;
  std::array<Wheel, kNumWheels> wheels;
  float com_height_m;
  float spring_npm;  // per wheel
  float damper_nspm;
  float bump_stop_npm;  // added beyond the travel
  float travel_m;
  float friction;
  float wheel_radius_m;
  float inverse_wheel_radius_1pm;
  float wheel_inertia_per_substep;  // kg m^2 / s
  float rolling_resistance_m;       // times load and spin direction: torque
  float stopping_mass_per_substep;  // kg / s: the force per slip speed that just stops all sliding
  float ackermann_1_frac;           // half the front axle track over the wheelbase; 0: parallel
  float body_half_m[3];
};

// The wheels' own state and what the last substep read at them.
struct WheelStates {
  std::array<float, kNumWheels> speed_radps{};         // state
  std::array<float, kNumWheels> load_n{};              // readings
  std::array<float, kNumWheels> forward_speed_mps{};   // of the contact patch over the ground,
  std::array<float, kNumWheels> sideways_speed_mps{};  // along and across the wheel
};

// Adds this substep's forces to `chassis` and turns the wheels on. The ground is the plane z = 0.
void ApplyVehicleForces(const VehicleModel& model, const DriveInput& input, btRigidBody& chassis,
                        WheelStates& wheels);

}  // namespace lapforge::sim
