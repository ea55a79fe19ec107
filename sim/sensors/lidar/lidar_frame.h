// What a lidar scans, split into what is shared by all scans and what one scan adds: plain numbers
// and borrowed pointers, for CPU and GPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/sensors/lidar/lidar_kernel.inl"
#include "sim/sim_options.h"

namespace lapforge::sim {

struct LidarBeam {
  double x, y;  // direction in the mount's frame, a unit vector
};

// A box in the mount's frame.
struct LidarLocalBox {
  LidarBox box;
  double center_x_m, center_y_m;
  double radius_m;
};

// One scan of one env.
struct LidarFrame {
  float x_m, y_m;               // of the mount, from the grid's origin
  double forward_x, forward_y;  // where the mount looks, in the world
  int32_t grid_index;
  int32_t num_boxes;
  LidarLocalBox boxes[kMaxObjects];
  float noise_sigma_m;
  uint32_t noise_place;  // where in the table of normal numbers the scan starts
};

// Shared by all scans of a simulator.
struct LidarScene {
  const LidarBeam* beams;
  int num_beams;
  float min_range_m, max_range_m;
  bool sees_borders;
  const LidarGridView* grids;
  const float* normals;  // NoiseTable's

  // what becomes of the ranges, as LidarOptions says
  LidarForm form;
  int num_sectors;
  int values_per_sector;
  double near_m, clip_m;
};

// Range of one beam without noise, up to max_range_m: what a GPU thread does, and the CPU's sensor.
LAPFORGE_DEVICE inline float RangeOfBeam(const LidarScene& scene, const LidarFrame& frame,
                                         int beam_index) {
  const LidarBeam beam = scene.beams[beam_index];
  float range_m = scene.max_range_m;
  if (scene.sees_borders) {
    const LidarRay ray = {frame.x_m, frame.y_m,
                          static_cast<float>(frame.forward_x * beam.x - frame.forward_y * beam.y),
                          static_cast<float>(frame.forward_y * beam.x + frame.forward_x * beam.y)};
    range_m = RangeToGrid(scene.grids[frame.grid_index], ray, scene.max_range_m);
  }
  // in the mount's frame, where the beams always are the same
  const LidarRay local_ray = {0, 0, static_cast<float>(beam.x), static_cast<float>(beam.y)};
  for (int i = 0; i < frame.num_boxes; ++i) {
    const LidarLocalBox& local = frame.boxes[i];
    const double aside_m = beam.x * local.center_y_m - beam.y * local.center_x_m;
    if (aside_m > local.radius_m || -aside_m > local.radius_m) continue;
    const float to_box_m = RangeToBox(local_ray, local.box);
    if (to_box_m < range_m) range_m = to_box_m;
  }
  return range_m;
}

// The same with noise, within the lidar's limits, without drop-outs.
LAPFORGE_DEVICE inline float ReadingOfBeam(const LidarScene& scene, const LidarFrame& frame,
                                           int beam_index) {
  const float normal = scene.normals[frame.noise_place + static_cast<uint32_t>(beam_index)];
  const float range_m = RangeOfBeam(scene, frame, beam_index) + frame.noise_sigma_m * normal;
  if (range_m < scene.min_range_m) return scene.min_range_m;
  return scene.max_range_m < range_m ? scene.max_range_m : range_m;
}

// A scan's numbers come in cells: a beam's range, or a sector's numbers.
LAPFORGE_DEVICE inline int NumCells(const LidarScene& scene) {
  return scene.form == LidarForm::kRanges ? scene.num_beams : scene.num_sectors;
}
LAPFORGE_DEVICE inline int NumbersPerCell(const LidarScene& scene) {
  return scene.form == LidarForm::kDiscretized ? scene.values_per_sector : 1;
}

// Writes one cell of `numbers` from all readings of the scan.
LAPFORGE_DEVICE inline void WriteCell(const LidarScene& scene, const float* ranges_m, int cell,
                                      float* numbers) {
  if (scene.form == LidarForm::kRanges) {
    numbers[cell] = ranges_m[cell];
    return;
  }
  const int num_beams = scene.num_beams / scene.num_sectors;
  float nearest_m = ranges_m[cell * num_beams];
  for (int i = 1; i < num_beams; ++i) {
    const float range_m = ranges_m[cell * num_beams + i];
    if (range_m < nearest_m) nearest_m = range_m;
  }
  if (scene.form == LidarForm::kSectors) {
    numbers[cell] = nearest_m < scene.near_m ? 1.0f : 0.0f;
    return;
  }
  // one of equal steps of 0 .. clip, none beyond
  const int count = scene.values_per_sector;
  const double step = floor(nearest_m / (scene.clip_m / count));
  for (int i = 0; i < count; ++i) numbers[cell * count + i] = step == i ? 1.0f : 0.0f;
}

}  // namespace lapforge::sim
