// The planar lidar: ranges to borders and objects, in the form that SensorOptions asks for.
#pragma once

#include <span>
#include <vector>

#include "sim/base/rng.h"
#include "sim/sensors.h"
#include "sim/sensors/lidar/lidar_grid.h"
#include "sim/sensors/noise_table.h"
#include "sim/step_facts.h"

namespace lapforge::sim {

class LidarSensor {
 public:
  // `origin_to_com_m` of the car, ahead and left: mounts are given from the model origin.
  LidarSensor(const LidarOptions& options, Vec2 origin_to_com_m);

  // Writes the numbers of the spec's shape. `boxes` are world rectangles; `noise_factor` scales the
  // range noise. Draws from `random`, at
  // most 1 + 2 * num_beams words.
  struct View {
    const LidarGrid& grid;
    std::span<const LidarBox> boxes;
    double noise_factor = 1;
    Vec2 com_shift_m = {};  // of the episode's car
  };
  void Write(const CarState& car, const View& view, RngStream& random,
             std::span<float> numbers) const;

  // Pose of the scanner in the plane.
  Pose2 MountOf(const CarState& car, Vec2 com_shift_m) const;

 private:
  void CastBeams(const CarState& car, const View& view, std::span<float> ranges_m) const;
  void AddNoise(double noise_factor, RngStream& random, std::span<float> ranges_m) const;
  void WriteForm(std::span<const float> ranges_m, std::span<float> numbers) const;

  LidarOptions options_;
  Vec2 com_to_mount_m_;
  std::vector<Vec2> directions_;  // of the beams, in the mount's frame
  NoiseTable noise_;
};

}  // namespace lapforge::sim
