#include "sim/sensors/lidar/lidar_sensor.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/assert.h"

namespace lapforge::sim {
namespace {

constexpr size_t kMaxBeams = NoiseTable::kMaxCount;

}  // namespace

LidarSensor::LidarSensor(const LidarOptions& options, Vec2 origin_to_com_m)
    : options_(options), com_to_mount_m_(Vec2{options.mount_x_m, 0} - origin_to_com_m) {
  const double fov_rad = RadFromDeg(options.fov_deg);
  const int num_gaps = options.fov_deg >= 360 ? options.num_beams : options.num_beams - 1;
  for (int i = 0; i < options.num_beams; ++i) {
    const double frac = num_gaps > 0 ? static_cast<double>(i) / num_gaps : 0.5;
    const Vec2 direction = DirectionOf((frac - 0.5) * fov_rad);
    beams_.push_back({direction.x, direction.y});
  }
}

Pose2 LidarSensor::MountOf(const CarState& car, Vec2 com_shift_m) const {
  const Vec2 com_m = {car.position_world_m.x, car.position_world_m.y};
  const Vec2 place_m = com_to_mount_m_ - com_shift_m;
  const Vec2 forward = DirectionOf(car.yaw_rad);
  return {com_m + place_m.x * forward + place_m.y * LeftNormal(forward),
          car.yaw_rad + RadFromDeg(options_.mount_yaw_deg)};
}

LidarFrame LidarSensor::FrameOf(const CarState& car, const View& view, uint32_t noise_word) const {
  const Pose2 mount = MountOf(car, view.com_shift_m);
  const Vec2 from = mount.position_m - view.grid.origin_m();
  const Vec2 forward = DirectionOf(mount.yaw_rad);
  LidarFrame frame;
  frame.x_m = static_cast<float>(from.x);
  frame.y_m = static_cast<float>(from.y);
  frame.forward_x = forward.x;
  frame.forward_y = forward.y;
  frame.grid_index = 0;
  frame.noise_sigma_m = static_cast<float>(options_.noise_m * view.noise_factor);
  frame.noise_place = NoiseTable::PlaceOf(noise_word);
  frame.num_boxes = 0;
  for (const LidarBox& box : view.boxes) {
    const Vec2 center = mount.ToLocal({box.x_m, box.y_m});
    const Vec2 along = {forward.x * box.ux + forward.y * box.uy,
                        forward.x * box.uy - forward.y * box.ux};
    const LidarBox local = {static_cast<float>(center.x),
                            static_cast<float>(center.y),
                            static_cast<float>(along.x),
                            static_cast<float>(along.y),
                            box.half_length_m,
                            box.half_width_m};
    frame.boxes[frame.num_boxes++] = {local, center.x, center.y,
                                      std::hypot(box.half_length_m, box.half_width_m)};
  }
  return frame;
}

LidarScene LidarSensor::SceneOf(const LidarGridView* grids) const {
  return {beams_.data(),
          static_cast<int>(beams_.size()),
          static_cast<float>(options_.min_range_m),
          static_cast<float>(options_.max_range_m),
          options_.sees_borders,
          grids,
          noise_.numbers().data(),
          options_.form,
          options_.num_sectors,
          options_.values_per_sector,
          options_.near_m,
          options_.clip_m};
}

void LidarSensor::DropOut(RngStream& random, std::span<float> ranges_m) const {
  for (float& range_m : ranges_m) {
    if (random.Uniform() < options_.dropout_frac) {
      range_m = static_cast<float>(options_.max_range_m);
    }
  }
}

uint32_t LidarSensor::DrawNoise(RngStream& random) const {
  const bool is_noisy = options_.noise_m > 0 || options_.dropout_frac > 0;
  return is_noisy ? random.NextU32() : 0;
}

void LidarSensor::Write(const CarState& car, const View& view, RngStream& random,
                        std::span<float> numbers) const {
  const LidarFrame frame = FrameOf(car, view, DrawNoise(random));
  const LidarGridView grid = view.grid.view();
  const LidarScene scene = SceneOf(&grid);
  std::array<float, kMaxBeams> storage;
  const std::span<float> ranges_m(storage.data(), beams_.size());
  for (int i = 0; i < scene.num_beams; ++i) {
    ranges_m[static_cast<size_t>(i)] = ReadingOfBeam(scene, frame, i);
  }
  if (options_.dropout_frac > 0) DropOut(random, ranges_m);
  for (int cell = 0; cell < NumCells(scene); ++cell) {
    WriteCell(scene, ranges_m.data(), cell, numbers.data());
  }
}

}  // namespace lapforge::sim
