// What differs from episode to episode: domain randomization and the sensors' own biases.
#pragma once

#include <array>
#include <cstdint>

#include "sim/car.h"
#include "sim/sim_options.h"

namespace lapforge::sim {

// Drawn at the start of an episode, constant within it. Plain words without padding: part of an
// env's state. The defaults change nothing.
struct EpisodeVariation {
  // car
  float friction_factor = 1;
  float mass_factor = 1;
  float drive_factor = 1;
  float speed_gain = 1;
  float steering_gain = 1;
  float steering_trim_rad = 0;
  float steering_lag_factor = 1;
  float motor_lag_factor = 1;
  int32_t latency_steps = 0;           // more than the car's
  std::array<float, 3> com_shift_m{};  // forward, left, up

  // camera
  std::array<float, 3> camera_shift_m{};   // forward, left, up
  std::array<float, 3> camera_turn_rad{};  // roll, pitch, yaw
  float camera_fov_factor = 1;
  float brightness_levels = 0;
  float contrast_factor = 1;
  float blur_frac = 0;
  std::array<float, 3> light_factor = {1, 1, 1};  // red, green, blue
  int32_t ground_index = 0;

  // other sensors
  float noise_factor = 1;
  std::array<float, 3> accel_bias_mps2{};
  std::array<float, 3> gyro_bias_radps{};
  std::array<float, kNumWheels> wheel_scale = {1, 1, 1, 1};

  int32_t track_width_index = 0;  // 0: the track's own

  bool operator==(const EpisodeVariation&) const = default;
};

// The variation of one episode, a function of the arguments alone. Every number is always drawn, so
// that switching one on leaves the others as they were.
EpisodeVariation DrawVariation(const SimOptions& options, int env_index, uint32_t episode_index);

// The car of an episode.
CarSpec VaryCar(const CarSpec& car, const EpisodeVariation& variation);

// The command that the actuators of the episode's car take for `asked`.
CarCommand VaryCommand(const CarCommand& asked, const EpisodeVariation& variation);

// An error where the shifted centre of mass would leave the car that `car` describes.
Result<void> CheckVariedCars(const CarSpec& car, const RandomizeOptions& randomize);

// True when some option varies the car itself.
bool VariesCar(const RandomizeOptions& randomize);

}  // namespace lapforge::sim
