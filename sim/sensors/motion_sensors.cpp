#include "sim/sensors/motion_sensors.h"

#include <array>

#include "sim/physics/vehicle.h"
#include "sim/sensors/body_frame.h"

namespace lapforge::sim {
namespace {

// Scalings that bring usual readings near -1 .. 1.
constexpr double kForceScaleMps2 = kGravityMps2;
constexpr double kRateScaleRadps = 5;
constexpr double kSpeedScaleMps = 2;

Rotation3 BodyToWorld(const CarState& car) {
  return RotationOf(car.roll_rad, car.pitch_rad, car.yaw_rad);
}

double Noise(double sigma, RngStream& random) { return sigma > 0 ? sigma * random.Normal() : 0; }

}  // namespace

void WriteImu(const ImuOptions& options, const CarState& car, const LastMotion& last,
              const EpisodeVariation& variation, RngStream& random, std::span<float> numbers) {
  const Vec3 force_world_mps2 = last.velocity_change_mps / last.step_s + Vec3{0, 0, kGravityMps2};
  const Vec3 force = BodyToWorld(car).ApplyInverse(force_world_mps2);
  const Vec3 rate = car.angular_velocity_body_radps;
  const std::array<double, 3> forces = {force.x, force.y, force.z};
  const std::array<double, 3> rates = {rate.x, rate.y, rate.z};
  const double accel_sigma = options.accel_noise_mps2 * variation.noise_factor;
  const double gyro_sigma = options.gyro_noise_radps * variation.noise_factor;
  for (size_t i = 0; i < 3; ++i) {
    const double reading = forces[i] + variation.accel_bias_mps2[i] + Noise(accel_sigma, random);
    numbers[i] = static_cast<float>(reading / kForceScaleMps2);
  }
  for (size_t i = 0; i < 3; ++i) {
    const double reading = rates[i] + variation.gyro_bias_radps[i] + Noise(gyro_sigma, random);
    numbers[3 + i] = static_cast<float>(reading / kRateScaleRadps);
  }
}

void WriteWheelSpeeds(const WheelSpeedOptions& options, double wheel_radius_m, const CarState& car,
                      const EpisodeVariation& variation, RngStream& random,
                      std::span<float> numbers) {
  const double sigma = options.noise_mps * variation.noise_factor;
  for (size_t i = 0; i < kNumWheels; ++i) {
    const double rim_mps = car.wheel_speed_radps[i] * wheel_radius_m * variation.wheel_scale[i];
    numbers[i] = static_cast<float>((rim_mps + Noise(sigma, random)) / kSpeedScaleMps);
  }
}

}  // namespace lapforge::sim
