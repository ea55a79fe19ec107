#include "sim/episode/measure.h"

#include <algorithm>
#include <cmath>

#include "sim/episode/progress.h"

namespace lapforge::sim {
namespace {

// No car gets this far, fast or spinning; beyond it single precision says nothing any more.
constexpr float kAbsurd = 1e6f;
// Slip ratios are counted against at least this speed.
constexpr double kMinSlipSpeedMps = 0.1;

bool AreSane(const float* numbers, int count) {
  for (int i = 0; i < count; ++i) {
    if (!(std::abs(numbers[i]) < kAbsurd)) return false;
  }
  return true;
}

// A world vector in the body's frame: the columns of the basis are the body's axes.
Vec3 ToBody(const float basis[9], const float world[3]) {
  const auto along = [&](int axis) {
    return static_cast<double>(basis[axis]) * world[0] +
           static_cast<double>(basis[3 + axis]) * world[1] +
           static_cast<double>(basis[6 + axis]) * world[2];
  };
  return {along(0), along(1), along(2)};
}

}  // namespace

bool IsHealthy(const BodyState& body) {
  return AreSane(body.basis, 9) && AreSane(body.position_m, 3) && AreSane(body.velocity_mps, 3) &&
         AreSane(body.angular_velocity_radps, 3) &&
         AreSane(body.wheels.speed_radps.data(), kNumWheels);
}

Vec3 VelocityOf(const BodyState& body) {
  return {body.velocity_mps[0], body.velocity_mps[1], body.velocity_mps[2]};
}

void MeasureCar(const VehicleModel& model, const BodyState& body, const ActuatorState& actuators,
                StepFacts& facts) {
  const float* basis = body.basis;
  CarState& car = facts.car;
  car.position_world_m = {body.position_m[0], body.position_m[1], body.position_m[2]};
  car.yaw_rad = std::atan2(static_cast<double>(basis[3]), static_cast<double>(basis[0]));
  car.pitch_rad = std::asin(Clamp(-static_cast<double>(basis[6]), -1.0, 1.0));
  car.roll_rad = std::atan2(static_cast<double>(basis[7]), static_cast<double>(basis[8]));
  car.velocity_body_mps = ToBody(basis, body.velocity_mps);
  car.angular_velocity_body_radps = ToBody(basis, body.angular_velocity_radps);
  car.steering_rad = actuators.steering_rad;
  car.drive_speed_mps = actuators.drive_speed_mps;

  // wheels and front point
  const Vec2 com_m = {body.position_m[0], body.position_m[1]};
  const Vec2 forward = {basis[0], basis[3]};
  const Vec2 left = {basis[1], basis[4]};
  for (int i = 0; i < kNumWheels; ++i) {
    const double forward_mps = body.wheels.forward_speed_mps[i];
    const double sideways_mps = body.wheels.sideways_speed_mps[i];
    car.wheel_speed_radps[i] = body.wheels.speed_radps[i];
    car.normal_load_n[i] = body.wheels.load_n[i];
    car.slip_ratio[i] = (car.wheel_speed_radps[i] * model.spec.wheel_radius_m - forward_mps) /
                        std::max(std::abs(forward_mps), kMinSlipSpeedMps);
    car.tire_slip_angle_rad[i] = std::atan2(-sideways_mps, std::abs(forward_mps));
    facts.wheels_m[i] = com_m + static_cast<double>(model.wheels[i].x_m) * forward +
                        static_cast<double>(model.wheels[i].y_m) * left;
  }
  const Vec2 front_m = model.spec.com_to_front_point_m();
  facts.front_point_m = com_m + front_m.x * forward + front_m.y * left;
}

void MeasureTrack(const tracks::Track& track, const tracks::TrackPosition& position,
                  double previous_progress_pct, int off_track_wheels, StepFacts& facts) {
  facts.position = position;
  facts.borders = track.NearestBorders(position);
  facts.heading_error_rad = WrapAngle(facts.car.yaw_rad - position.tangent_yaw_rad);
  facts.progress_pct =
      ProgressAt(track, position.arc_length_m, facts.start_arc_length_m, previous_progress_pct);
  int num_on_road = 0;
  for (int i = 0; i < kNumWheels; ++i) {
    facts.wheel_on_road[i] = track.IsOnRoad(facts.wheels_m[i], position);
    num_on_road += facts.wheel_on_road[i] ? 1 : 0;
  }
  facts.all_wheels_on_track = num_on_road == kNumWheels;
  facts.is_off_track = kNumWheels - num_on_road >= off_track_wheels;
}

}  // namespace lapforge::sim
