#include "sim/episode/measure.h"

#include <algorithm>
#include <cmath>

namespace lapforge::sim {
namespace {

constexpr double kMinSpeedMps = 0.1;  // slips of a car at rest are not a matter of direction

Vec3 ToBody(const float basis[9], const float world[3]) {
  const auto along = [&](int column) {
    return double{basis[column]} * world[0] + double{basis[3 + column]} * world[1] +
           double{basis[6 + column]} * world[2];
  };
  return {along(0), along(1), along(2)};
}

// A point `x_m` ahead and `y_m` left of the centre of mass, on the ground.
Vec2 PointOnCar(const CarState& car, double x_m, double y_m) {
  const Pose2 pose = {{car.position_world_m.x, car.position_world_m.y}, car.yaw_rad};
  return pose.ToWorld({x_m, y_m});
}

}  // namespace

bool IsFinite(const BodyState& body) {
  float sum = 0;  // a NaN or infinity survives every addition of finite numbers times zero
  for (const float number : body.basis) sum += number * 0;
  for (int i = 0; i < 3; ++i) {
    sum += (body.position_m[i] + body.velocity_mps[i] + body.angular_velocity_radps[i]) * 0;
  }
  for (const float speed : body.wheels.speed_radps) sum += speed * 0;
  return sum == 0;
}

CarState CarStateFrom(const CarSpec& spec, const BodyState& body, const ActuatorState& actuators) {
  const float* const b = body.basis;
  CarState car;
  car.position_world_m = {body.position_m[0], body.position_m[1], body.position_m[2]};
  car.yaw_rad = std::atan2(double{b[3]}, double{b[0]});
  car.pitch_rad = std::asin(std::clamp(-double{b[6]}, -1.0, 1.0));
  car.roll_rad = std::atan2(double{b[7]}, double{b[8]});
  car.velocity_body_mps = ToBody(b, body.velocity_mps);
  car.angular_velocity_body_radps = ToBody(b, body.angular_velocity_radps);
  for (size_t i = 0; i < kNumWheels; ++i) {
    const double forward_mps = body.wheels.forward_speed_mps[i];
    const double rolling_mps = std::max(std::abs(forward_mps), kMinSpeedMps);
    car.wheel_speed_radps[i] = body.wheels.speed_radps[i];
    car.normal_load_n[i] = body.wheels.load_n[i];
    car.slip_ratio[i] =
        (car.wheel_speed_radps[i] * spec.wheel_radius_m - forward_mps) / rolling_mps;
    car.tire_slip_angle_rad[i] = std::atan2(double{body.wheels.sideways_speed_mps[i]}, rolling_mps);
  }
  car.steering_rad = actuators.steering_rad;
  car.drive_speed_mps = actuators.drive_speed_mps;
  return car;
}

void MeasurePlace(const CarSpec& spec, const tracks::Track& track, const CarState& car,
                  int segment_hint, StepFacts& facts) {
  facts.car = car;
  facts.front_point_m = PointOnCar(car, spec.front_point_m - spec.origin_to_com_m, 0);
  facts.position = track.ProjectNear(facts.front_point_m, segment_hint);
  facts.borders = track.NearestBorders(facts.position);
  facts.heading_error_rad = WrapAngle(car.yaw_rad - facts.position.tangent_yaw_rad);

  int num_on_road = 0;
  for (size_t i = 0; i < kNumWheels; ++i) {
    const bool is_front = i == kFrontLeft || i == kFrontRight;
    const bool is_left = i == kRearLeft || i == kFrontLeft;
    const double x_m = is_front ? spec.com_to_front_axle_m : -spec.com_to_rear_axle_m;
    const double y_m = (is_front ? spec.front_axle_track_m : spec.rear_axle_track_m) / 2;
    facts.wheels_m[i] = PointOnCar(car, x_m, is_left ? y_m : -y_m);
    facts.wheel_on_road[i] = track.IsOnRoad(facts.wheels_m[i], facts.position);
    num_on_road += facts.wheel_on_road[i] ? 1 : 0;
  }
  facts.all_wheels_on_track = num_on_road == kNumWheels;
  facts.is_off_track = num_on_road == 0;
}

}  // namespace lapforge::sim
