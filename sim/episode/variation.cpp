#include "sim/episode/variation.h"

#include <algorithm>

#include "sim/base/rng.h"

namespace lapforge::sim {
namespace {

class Draws {
 public:
  explicit Draws(RngStream& random) : random_(random) {}

  float Around(double middle, double reach) {
    return static_cast<float>(middle + random_.Uniform(-1, 1) * reach);
  }
  std::array<float, 3> ThreeAround(double middle, double reach) {
    std::array<float, 3> numbers{};
    for (float& number : numbers) number = Around(middle, reach);
    return numbers;
  }
  std::array<float, 3> ThreeNormals(double sigma) {
    std::array<float, 3> numbers{};
    for (float& number : numbers) number = static_cast<float>(random_.Normal() * sigma);
    return numbers;
  }
  // 0 .. count - 1
  int32_t Index(int count) {
    return std::min(static_cast<int32_t>(random_.Uniform() * count), count - 1);
  }

 private:
  RngStream& random_;
};

void DrawCar(const RandomizeOptions& options, Draws& draws, EpisodeVariation& variation) {
  variation.friction_factor = draws.Around(1, options.friction_frac);
  variation.mass_factor = draws.Around(1, options.mass_frac);
  variation.drive_factor = draws.Around(1, options.drive_frac);
  variation.speed_gain = draws.Around(1, options.speed_gain_frac);
  variation.steering_gain = draws.Around(1, options.steering_gain_frac);
  variation.steering_trim_rad = draws.Around(0, RadFromDeg(options.steering_trim_deg));
  variation.steering_lag_factor = draws.Around(1, options.steering_lag_frac);
  variation.motor_lag_factor = draws.Around(1, options.motor_lag_frac);
  variation.latency_steps = draws.Index(options.latency_steps + 1);
  variation.com_shift_m = draws.ThreeAround(0, options.com_shift_m);
}

void DrawCamera(const RandomizeOptions& options, Draws& draws, EpisodeVariation& variation) {
  variation.camera_shift_m = draws.ThreeAround(0, options.camera_shift_m);
  variation.camera_turn_rad = draws.ThreeAround(0, RadFromDeg(options.camera_turn_deg));
  variation.camera_fov_factor = draws.Around(1, options.camera_fov_frac);
  variation.brightness_levels = draws.Around(0, options.brightness_levels);
  variation.contrast_factor = draws.Around(1, options.contrast_frac);
  variation.blur_frac = (draws.Around(0.5, 0.5)) * static_cast<float>(options.blur_frac);
  variation.light_factor = draws.ThreeAround(1, options.light_frac);
  variation.ground_index = draws.Index(options.num_grounds);
}

void DrawSensors(const SimOptions& options, Draws& draws, EpisodeVariation& variation) {
  const SensorOptions& sensors = options.sensors;
  variation.noise_factor = draws.Around(1, options.randomize.noise_frac);
  variation.accel_bias_mps2 = draws.ThreeNormals(sensors.imu.accel_bias_mps2);
  variation.gyro_bias_radps = draws.ThreeNormals(sensors.imu.gyro_bias_radps);
  const std::array<float, 3> first = draws.ThreeNormals(sensors.wheel_speed.scale_error_frac);
  const std::array<float, 3> last = draws.ThreeNormals(sensors.wheel_speed.scale_error_frac);
  variation.wheel_scale = {1 + first[0], 1 + first[1], 1 + first[2], 1 + last[0]};
}

}  // namespace

EpisodeVariation DrawVariation(const SimOptions& options, int env_index, uint32_t episode_index) {
  const ImuOptions& imu = options.sensors.imu;
  const bool varies = options.randomize != RandomizeOptions() || imu.accel_bias_mps2 > 0 ||
                      imu.gyro_bias_radps > 0 || options.sensors.wheel_speed.scale_error_frac > 0;
  if (!varies) return {};
  RngStream random(options.seed, static_cast<uint32_t>(env_index), episode_index,
                   RngPurpose::kRandomization);
  Draws draws(random);
  EpisodeVariation variation;
  DrawCar(options.randomize, draws, variation);
  DrawCamera(options.randomize, draws, variation);
  DrawSensors(options, draws, variation);
  variation.track_width_index = draws.Index(NumTrackWidths(options.randomize));
  return variation;
}

CarSpec VaryCar(const CarSpec& car, const EpisodeVariation& variation) {
  const auto scaled = [](double value, float factor) {
    return value * static_cast<double>(factor);
  };
  CarSpec varied = car;
  varied.friction = scaled(car.friction, variation.friction_factor);
  varied.mass_kg = scaled(car.mass_kg, variation.mass_factor);
  varied.inertia_kgm2 = car.inertia_kgm2 * static_cast<double>(variation.mass_factor);
  const auto& shift_m = variation.com_shift_m;
  varied.com_to_front_axle_m -= static_cast<double>(shift_m[0]);
  varied.com_to_rear_axle_m += static_cast<double>(shift_m[0]);
  varied.origin_to_com_m += static_cast<double>(shift_m[0]);
  varied.com_left_m += static_cast<double>(shift_m[1]);
  varied.com_height_m += static_cast<double>(shift_m[2]);
  varied.max_drive_torque_nm = scaled(car.max_drive_torque_nm, variation.drive_factor);
  varied.max_brake_torque_nm = scaled(car.max_brake_torque_nm, variation.drive_factor);
  varied.steering_lag_s = scaled(car.steering_lag_s, variation.steering_lag_factor);
  varied.motor_lag_s = scaled(car.motor_lag_s, variation.motor_lag_factor);
  varied.control_latency_steps =
      std::min(car.control_latency_steps + variation.latency_steps, kMaxLatencySteps);
  return varied;
}

CarCommand VaryCommand(const CarCommand& asked, const EpisodeVariation& variation) {
  return {asked.steering_rad * variation.steering_gain + variation.steering_trim_rad,
          asked.speed_mps * variation.speed_gain};
}

Result<void> CheckVariedCars(const CarSpec& car, const RandomizeOptions& randomize) {
  const float reach_m = static_cast<float>(randomize.com_shift_m);
  for (const float shift_m : {reach_m, -reach_m}) {
    EpisodeVariation variation;
    variation.com_shift_m = {shift_m, shift_m, shift_m};
    if (const auto checked = Validate(VaryCar(car, variation)); !checked.ok()) {
      return ErrorOf("randomize.com_shift_m ", randomize.com_shift_m, " is too much for car ",
                     car.name, ": ", checked.error().message);
    }
  }
  return {};
}

bool VariesCar(const RandomizeOptions& randomize) {
  return randomize.friction_frac > 0 || randomize.mass_frac > 0 || randomize.com_shift_m > 0 ||
         randomize.drive_frac > 0 || randomize.speed_gain_frac > 0 ||
         randomize.steering_gain_frac > 0 || randomize.steering_trim_deg > 0 ||
         randomize.steering_lag_frac > 0 || randomize.motor_lag_frac > 0 ||
         randomize.latency_steps > 0;
}

}  // namespace lapforge::sim
