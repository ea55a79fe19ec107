// The planar lidar: ranges to borders and objects, in the form that SensorOptions asks for.
#pragma once

#include <span>
#include <vector>

#include "sim/base/rng.h"
#include "sim/sensors.h"
#include "sim/sensors/lidar/lidar_frame.h"
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

  // For a GPU: one scan, and what all scans share in this processor's memory (this sensor's and
  // `grids`). `noise_word` chooses the noise; LidarFrame::grid_index is the caller's.
  LidarFrame FrameOf(const CarState& car, const View& view, uint32_t noise_word) const;
  LidarScene SceneOf(const LidarGridView* grids) const;
  // The word of the noise that Write draws first; 0 where there is none.
  uint32_t DrawNoise(RngStream& random) const;
  size_t num_normals() const { return noise_.numbers().size(); }
  const LidarOptions& options() const { return options_; }

  // Pose of the scanner in the plane.
  Pose2 MountOf(const CarState& car, Vec2 com_shift_m) const;

 private:
  void DropOut(RngStream& random, std::span<float> ranges_m) const;

  LidarOptions options_;
  Vec2 com_to_mount_m_;
  std::vector<LidarBeam> beams_;
  NoiseTable noise_;
};

}  // namespace lapforge::sim
