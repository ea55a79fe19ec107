#include "sim/physics/vehicle.h"

#include <BulletDynamics/Dynamics/btRigidBody.h>

#include <algorithm>
#include <cmath>

namespace lapforge::sim {
namespace {

// Slip is counted against at least this speed, or a parked tyre would divide by zero.
constexpr float kMinRollingSpeedMps = 0.1f;
// Below this spin rolling resistance fades out, so that a wheel at rest feels none.
constexpr float kFadingSpinRadps = 1.0f;
// A body tilted further (60 degrees) has no wheel on the ground.
constexpr float kMinUpright = 0.5f;
// Beyond its travel the suspension is this much stiffer; five springs stay stable at 60 Hz.
constexpr double kBumpStopFactor = 4;
// Plastic on a floor; matters only for a car on its side or roof.
constexpr float kBodyFriction = 0.3f;

// The chassis as this substep finds it, and the forces collected so far.
struct Chassis {
  explicit Chassis(const btRigidBody& body)
      : position(body.getCenterOfMassPosition()),
        forward(body.getCenterOfMassTransform().getBasis().getColumn(0)),
        left(body.getCenterOfMassTransform().getBasis().getColumn(1)),
        up(body.getCenterOfMassTransform().getBasis().getColumn(2)),
        velocity(body.getLinearVelocity()),
        angular_velocity(body.getAngularVelocity()) {}

  btVector3 VelocityAt(const btVector3& arm) const {
    return velocity + angular_velocity.cross(arm);
  }

  void AddForce(const btVector3& at_arm, const btVector3& added) {
    force += added;
    torque += at_arm.cross(added);
  }

  btVector3 position, forward, left, up, velocity, angular_velocity;
  btVector3 force{0, 0, 0};
  btVector3 torque{0, 0, 0};
};

// One wheel over the ground.
struct Contact {
  btVector3 arm;       // from the centre of mass to the ground below the wheel
  btVector3 velocity;  // of the chassis there
  float load_n = 0;
};

struct Heading {
  float x = 1;
  float y = 0;
};

Heading Turned(Heading a, Heading by) { return {a.x * by.x - a.y * by.y, a.x * by.y + a.y * by.x}; }

Contact FindContact(const VehicleModel& model, const VehicleModel::Wheel& wheel,
                    const Chassis& chassis) {
  Contact contact;
  const btVector3 rest =
      chassis.forward * wheel.x_m + chassis.left * wheel.y_m - chassis.up * model.com_height_m;
  contact.arm.setValue(rest.x(), rest.y(), -chassis.position.z());
  contact.velocity = chassis.VelocityAt(contact.arm);
  if (!(chassis.up.z() > kMinUpright)) return contact;

  // spring and damper work along the body's vertical; the ground can only push
  const float compression_m = -(chassis.position.z() + rest.z()) / chassis.up.z();
  const float beyond_m = std::max(compression_m - model.travel_m, 0.0f);
  const float load_n = wheel.rest_load_n + model.spring_npm * compression_m +
                       model.bump_stop_npm * beyond_m - model.damper_nspm * contact.velocity.z();
  contact.load_n = std::max(load_n, 0.0f);
  return contact;
}

// Directions of the left and the right front wheel against the body, Ackermann or equal.
std::array<Heading, 2> FrontHeadings(const VehicleModel& model, float steering_rad) {
  const float tangent = std::tan(steering_rad);
  std::array<Heading, 2> headings;
  for (int side = 0; side < 2; ++side) {
    const float toward_left = side == 0 ? model.ackermann_1_frac : -model.ackermann_1_frac;
    const float wheel_tangent = tangent / (1 - toward_left * tangent);
    const float inverse_length = 1 / std::sqrt(1 + wheel_tangent * wheel_tangent);
    headings[side] = {inverse_length, wheel_tangent * inverse_length};
  }
  return headings;
}

// The tread of one wheel against the ground.
struct Patch {
  Heading heading;  // of the wheel in the world
  float load_n = 0;
  float forward_speed_mps = 0;  // of the patch, along and across the wheel
  float sideways_speed_mps = 0;
  float max_grip_nspm = 0;  // more would turn the sliding round within a substep
};

Patch MakePatch(const Contact& contact, Heading heading, float max_grip_per_load) {
  Patch patch;
  patch.heading = heading;
  patch.load_n = contact.load_n;
  patch.forward_speed_mps = heading.x * contact.velocity.x() + heading.y * contact.velocity.y();
  patch.sideways_speed_mps = heading.x * contact.velocity.y() - heading.y * contact.velocity.x();
  patch.max_grip_nspm = max_grip_per_load * contact.load_n;
  return patch;
}

// Tyre force per slip speed, the same along and across the wheel (friction circle).
float GripOf(const VehicleModel& model, const Patch& patch, float spin_radps) {
  const float slip_mps = spin_radps * model.wheel_radius_m - patch.forward_speed_mps;
  const float slip_speed_mps =
      std::sqrt(slip_mps * slip_mps + patch.sideways_speed_mps * patch.sideways_speed_mps);
  const float rolling_mps = std::max(std::abs(patch.forward_speed_mps), kMinRollingSpeedMps);
  const float grip_nspm =
      model.friction * patch.load_n * model.tire.GripPerSlipSpeed(slip_speed_mps, rolling_mps);
  return std::min(grip_nspm, patch.max_grip_nspm);
}

// One wheel's part of the implicit step: spin afterwards = (pushed_nm + motor torque) / held_nms.
struct Rolling {
  float pushed_nm = 0;
  float held_nms = 0;

  float SpinWith(float torque_nm) const { return (pushed_nm + torque_nm) / held_nms; }
};

// What inertia and rolling resistance say, the ground left out.
Rolling FreeWheel(const VehicleModel& model, const Patch& patch, float spin_radps) {
  const float resistance_nms =
      model.rolling_resistance_m * patch.load_n / (std::abs(spin_radps) + kFadingSpinRadps);
  return {model.wheel_inertia_per_substep * spin_radps,
          model.wheel_inertia_per_substep + resistance_nms};
}

// Torque on each wheel of an axle: the motor holds the mean speed of both, through a differential.
float MotorTorque(const VehicleModel::Wheel& wheel, float wanted_radps,
                  const std::array<Rolling, 2>& rolling) {
  const float mean_radps = 0.5f * (rolling[0].SpinWith(0) + rolling[1].SpinWith(0));
  const float mean_response = 0.5f * (1 / rolling[0].held_nms + 1 / rolling[1].held_nms);
  const float torque_nm = wheel.motor_gain_nms * (wanted_radps - mean_radps) /
                          (1 + wheel.motor_gain_nms * mean_response);
  return std::clamp(torque_nm, -wheel.max_brake_nm, wheel.max_drive_nm);
}

// Spins of an axle's wheels after this substep. Implicit, since a small wheel's own rate (hundreds
// of 1/s) is above the substep rate; a wheel that the ground cannot hold slides at full friction.
void TurnAxle(const VehicleModel& model, const VehicleModel::Wheel& wheel, const Patch patches[2],
              float drive_speed_mps, float spins_radps[2]) {
  const float radius_m = model.wheel_radius_m;
  const float wanted_radps = drive_speed_mps * model.inverse_wheel_radius_1pm;
  if (model.is_kinematic) {
    spins_radps[0] = spins_radps[1] = wanted_radps;
    return;
  }
  std::array<Rolling, 2> rolling;
  std::array<float, 2> grips_nspm;
  for (int side = 0; side < 2; ++side) {
    const Patch& patch = patches[side];
    grips_nspm[side] = GripOf(model, patch, spins_radps[side]);
    rolling[side] = FreeWheel(model, patch, spins_radps[side]);
    rolling[side].pushed_nm += radius_m * grips_nspm[side] * patch.forward_speed_mps;
    rolling[side].held_nms += radius_m * radius_m * grips_nspm[side];
  }

  const float torque_nm = MotorTorque(wheel, wanted_radps, rolling);
  for (int side = 0; side < 2; ++side) {
    const Patch& patch = patches[side];
    const float slip_mps = rolling[side].SpinWith(torque_nm) * radius_m - patch.forward_speed_mps;
    const float limit_n = model.friction * patch.load_n;
    if (std::abs(grips_nspm[side] * slip_mps) <= limit_n) continue;
    rolling[side] = FreeWheel(model, patch, spins_radps[side]);
    rolling[side].pushed_nm -= radius_m * std::copysign(limit_n, slip_mps);
  }
  const float final_torque_nm = MotorTorque(wheel, wanted_radps, rolling);
  for (int side = 0; side < 2; ++side) spins_radps[side] = rolling[side].SpinWith(final_torque_nm);
}

// The ground's horizontal force on a wheel.
btVector3 TireForce(const VehicleModel& model, const Patch& patch, float spin_radps) {
  const float grip_nspm = GripOf(model, patch, spin_radps);
  const float forward_n = grip_nspm * (spin_radps * model.wheel_radius_m - patch.forward_speed_mps);
  const float sideways_n = -grip_nspm * patch.sideways_speed_mps;
  return {patch.heading.x * forward_n - patch.heading.y * sideways_n,
          patch.heading.y * forward_n + patch.heading.x * sideways_n, 0};
}

// A body that scrapes the floor (rolled over after hitting a wall) is held by its corners.
void AddBodyGroundForces(const VehicleModel& model, Chassis& chassis) {
  const btVector3 x = chassis.forward * model.body_half_m[0];
  const btVector3 y = chassis.left * model.body_half_m[1];
  const btVector3 z = chassis.up * model.body_half_m[2];
  const float reach_m = std::abs(x.z()) + std::abs(y.z()) + std::abs(z.z());
  if (!(chassis.position.z() < reach_m)) return;

  for (int corner = 0; corner < 8; ++corner) {
    const btVector3 arm = (corner & 1 ? x : -x) + (corner & 2 ? y : -y) + (corner & 4 ? z : -z);
    const float depth_m = -(chassis.position.z() + arm.z());
    if (!(depth_m > 0)) continue;
    const btVector3 velocity = chassis.VelocityAt(arm);
    const float load_n =
        std::max(model.spring_npm * depth_m - model.damper_nspm * velocity.z(), 0.0f);
    const float sliding_mps = std::hypot(velocity.x(), velocity.y());
    const float grip_nspm = kBodyFriction * load_n / std::max(sliding_mps, kMinRollingSpeedMps);
    chassis.AddForce(arm, {-grip_nspm * velocity.x(), -grip_nspm * velocity.y(), load_n});
  }
}

// The largest force per slip speed that cannot turn the sliding round within a substep, all wheels
// together: from the most mobile of the motions that a ground force causes.
float StoppingMass(const CarSpec& spec) {
  const double height_squared = spec.com_height_m * spec.com_height_m;
  const double arm_m = std::max(spec.com_to_front_axle_m, spec.com_to_rear_axle_m);
  const double mobility = std::max({1 / spec.mass_kg + height_squared / spec.inertia_kgm2.x,
                                    1 / spec.mass_kg + height_squared / spec.inertia_kgm2.y,
                                    arm_m * arm_m / spec.inertia_kgm2.z});
  return static_cast<float>(1 / mobility);
}

VehicleModel::Wheel MakeWheel(const CarSpec& spec, int index) {
  const bool is_front = index == kFrontLeft || index == kFrontRight;
  const bool is_left = index == kRearLeft || index == kFrontLeft;
  const double axle_m = is_front ? spec.com_to_front_axle_m : -spec.com_to_rear_axle_m;
  const double other_axle_m = is_front ? spec.com_to_rear_axle_m : spec.com_to_front_axle_m;
  const double axle_track_m = is_front ? spec.front_axle_track_m : spec.rear_axle_track_m;
  const double toward_left = (is_left ? spec.com_left_m : -spec.com_left_m) / axle_track_m;
  const double side_share = 0.5 + toward_left;  // of the axle's load
  const double share = (is_front ? spec.drive_front_frac : 1 - spec.drive_front_frac) / 2;

  // open loop: a direct-current motor at its battery's voltage, full torque at standstill and none
  // at top speed, which is a gain too
  const double gain_nms =
      spec.speed_control == SpeedControl::kClosedLoop
          ? spec.mass_kg * spec.speed_gain_1ps * spec.wheel_radius_m * spec.wheel_radius_m
          : spec.max_drive_torque_nm * spec.wheel_radius_m / spec.max_speed_cmd_mps;

  VehicleModel::Wheel wheel;
  wheel.x_m = static_cast<float>(axle_m);
  wheel.y_m =
      static_cast<float>((is_left ? axle_track_m / 2 : -axle_track_m / 2) - spec.com_left_m);
  wheel.rest_load_n = static_cast<float>(spec.mass_kg * kGravityMps2 * other_axle_m /
                                         spec.wheelbase_m() * side_share);
  wheel.motor_gain_nms = static_cast<float>(share * gain_nms);
  wheel.max_drive_nm = static_cast<float>(share * spec.max_drive_torque_nm);
  wheel.max_brake_nm = static_cast<float>(share * spec.max_brake_torque_nm);
  return wheel;
}

}  // namespace

VehicleModel::VehicleModel(const CarSpec& car, double dt_s)
    : spec(car),
      substep_s(static_cast<float>(dt_s)),
      weight_n(static_cast<float>(car.mass_kg * kGravityMps2)),
      is_kinematic(car.speed_control == SpeedControl::kKinematic),
      tire(car.tire_stiffness_factor, car.tire_shape_factor),
      com_height_m(static_cast<float>(car.com_height_m)),
      spring_npm(static_cast<float>(car.suspension_stiffness_1ps2 * car.mass_kg)),
      damper_nspm(static_cast<float>(car.suspension_damping_ratio *
                                     std::sqrt(4 * car.suspension_stiffness_1ps2) / 2 *
                                     car.mass_kg)),
      bump_stop_npm(
          static_cast<float>(kBumpStopFactor * car.suspension_stiffness_1ps2 * car.mass_kg)),
      travel_m(static_cast<float>(car.suspension_travel_m)),
      friction(static_cast<float>(car.friction)),
      wheel_radius_m(static_cast<float>(car.wheel_radius_m)),
      inverse_wheel_radius_1pm(static_cast<float>(1 / car.wheel_radius_m)),
      wheel_inertia_per_substep(static_cast<float>(car.wheel_inertia_kgm2 / dt_s)),
      rolling_resistance_m(static_cast<float>(car.rolling_resistance_frac * car.wheel_radius_m)),
      stopping_mass_per_substep(static_cast<float>(StoppingMass(car) / dt_s)),
      ackermann_1_frac(car.steering_geometry == SteeringGeometry::kAckermann
                           ? static_cast<float>(car.front_axle_track_m / 2 / car.wheelbase_m())
                           : 0.0f),
      body_half_m{static_cast<float>(car.body_length_m / 2),
                  static_cast<float>(car.body_width_m / 2),
                  static_cast<float>(car.body_height_m / 2)} {
  for (int i = 0; i < kNumWheels; ++i) wheels[i] = MakeWheel(car, i);
}

void ApplyVehicleForces(const VehicleModel& model, const DriveInput& input, btRigidBody& body,
                        WheelStates& wheels) {
  Chassis chassis(body);

  // loads first: the share of the car that one tyre can stop depends on all of them
  std::array<Contact, kNumWheels> contacts;
  float total_load_n = 0;
  for (int i = 0; i < kNumWheels; ++i) {
    contacts[i] = FindContact(model, model.wheels[i], chassis);
    total_load_n += contacts[i].load_n;
  }
  const float max_grip_per_load =
      model.stopping_mass_per_substep / std::max(total_load_n, model.weight_n);

  // wheel headings in the world: the body's x-axis on the ground, the front ones steered
  const float inverse_length = 1 / std::sqrt(chassis.forward.x() * chassis.forward.x() +
                                             chassis.forward.y() * chassis.forward.y());
  const Heading ahead = {chassis.forward.x() * inverse_length,
                         chassis.forward.y() * inverse_length};
  const std::array<Heading, 2> steered = FrontHeadings(model, input.steering_rad);

  std::array<Patch, kNumWheels> patches;
  for (int i = 0; i < kNumWheels; ++i) {
    const Heading heading = i < kFrontLeft ? ahead : Turned(ahead, steered[i - kFrontLeft]);
    patches[i] = MakePatch(contacts[i], heading, max_grip_per_load);
  }
  for (const int left : {kRearLeft, kFrontLeft}) {
    TurnAxle(model, model.wheels[left], &patches[left], input.drive_speed_mps,
             &wheels.speed_radps[left]);
  }
  for (int i = 0; i < kNumWheels; ++i) {
    btVector3 ground_n = TireForce(model, patches[i], wheels.speed_radps[i]);
    ground_n.setZ(patches[i].load_n);
    chassis.AddForce(contacts[i].arm, ground_n);
    wheels.load_n[i] = patches[i].load_n;
    wheels.forward_speed_mps[i] = patches[i].forward_speed_mps;
    wheels.sideways_speed_mps[i] = patches[i].sideways_speed_mps;
  }
  AddBodyGroundForces(model, chassis);
  body.applyCentralForce(chassis.force);
  body.applyTorque(chassis.torque);
}

}  // namespace lapforge::sim
