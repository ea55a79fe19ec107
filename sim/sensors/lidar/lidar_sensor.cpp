#include "sim/sensors/lidar/lidar_sensor.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/assert.h"

namespace lapforge::sim {
namespace {

constexpr size_t kMaxBeams = NoiseTable::kMaxCount;

// Turned so that `range` falls into one of `count` equal steps of 0 .. clip; `count` beyond.
int StepOf(float range_m, double clip_m, int count) {
  const double step = std::floor(range_m / (clip_m / count));
  return static_cast<int>(std::min(step, static_cast<double>(count)));
}

}  // namespace

LidarSensor::LidarSensor(const LidarOptions& options, Vec2 origin_to_com_m)
    : options_(options), com_to_mount_m_(Vec2{options.mount_x_m, 0} - origin_to_com_m) {
  const double fov_rad = RadFromDeg(options.fov_deg);
  const int num_gaps = options.fov_deg >= 360 ? options.num_beams : options.num_beams - 1;
  for (int i = 0; i < options.num_beams; ++i) {
    const double frac = num_gaps > 0 ? static_cast<double>(i) / num_gaps : 0.5;
    directions_.push_back(DirectionOf((frac - 0.5) * fov_rad));
  }
}

Pose2 LidarSensor::MountOf(const CarState& car, Vec2 com_shift_m) const {
  const Vec2 com_m = {car.position_world_m.x, car.position_world_m.y};
  const Vec2 place_m = com_to_mount_m_ - com_shift_m;
  const Vec2 forward = DirectionOf(car.yaw_rad);
  return {com_m + place_m.x * forward + place_m.y * LeftNormal(forward),
          car.yaw_rad + RadFromDeg(options_.mount_yaw_deg)};
}

void LidarSensor::CastBeams(const CarState& car, const View& view,
                            std::span<float> ranges_m) const {
  const Pose2 mount = MountOf(car, view.com_shift_m);
  const Vec2 from = mount.position_m - view.grid.origin_m();
  const Vec2 forward = DirectionOf(mount.yaw_rad);
  const LidarGridView grid = view.grid.view();
  const float max_range_m = static_cast<float>(options_.max_range_m);
  LidarRay ray = {static_cast<float>(from.x), static_cast<float>(from.y), 0, 0};
  for (size_t i = 0; i < directions_.size(); ++i) {
    const Vec2 beam = directions_[i];
    ray.dx = static_cast<float>(forward.x * beam.x - forward.y * beam.y);
    ray.dy = static_cast<float>(forward.y * beam.x + forward.x * beam.y);
    ranges_m[i] = options_.sees_borders ? RangeToGrid(grid, ray, max_range_m) : max_range_m;
  }

  // objects, in the mount's frame, where the beams always are the same
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
    const double radius_m = std::hypot(box.half_length_m, box.half_width_m);
    for (size_t i = 0; i < directions_.size(); ++i) {
      const Vec2 beam = directions_[i];
      if (std::abs(Cross(beam, center)) > radius_m) continue;
      const LidarRay local_ray = {0, 0, static_cast<float>(beam.x), static_cast<float>(beam.y)};
      ranges_m[i] = std::min(ranges_m[i], RangeToBox(local_ray, local));
    }
  }
}

void LidarSensor::AddNoise(double noise_factor, RngStream& random,
                           std::span<float> ranges_m) const {
  const float sigma_m = static_cast<float>(options_.noise_m * noise_factor);
  const std::span<const float> normals = noise_.Take(random.NextU32(), ranges_m.size());
  for (size_t i = 0; i < ranges_m.size(); ++i) ranges_m[i] += sigma_m * normals[i];
  if (options_.dropout_frac <= 0) return;
  for (float& range_m : ranges_m) {
    if (random.Uniform() < options_.dropout_frac) {
      range_m = static_cast<float>(options_.max_range_m);
    }
  }
}

void LidarSensor::WriteForm(std::span<const float> ranges_m, std::span<float> numbers) const {
  if (options_.form == LidarForm::kRanges) {
    std::copy(ranges_m.begin(), ranges_m.end(), numbers.begin());
    return;
  }
  std::fill(numbers.begin(), numbers.end(), 0.0f);
  const size_t beams_per_sector = ranges_m.size() / static_cast<size_t>(options_.num_sectors);
  for (size_t sector = 0; sector < static_cast<size_t>(options_.num_sectors); ++sector) {
    const auto beams = ranges_m.subspan(sector * beams_per_sector, beams_per_sector);
    const float nearest_m = *std::min_element(beams.begin(), beams.end());
    if (options_.form == LidarForm::kSectors) {
      numbers[sector] = nearest_m < options_.near_m ? 1.0f : 0.0f;
      continue;
    }
    const int count = options_.values_per_sector;
    const int step = StepOf(nearest_m, options_.clip_m, count);
    if (step < count) numbers[sector * static_cast<size_t>(count) + static_cast<size_t>(step)] = 1;
  }
}

void LidarSensor::Write(const CarState& car, const View& view, RngStream& random,
                        std::span<float> numbers) const {
  std::array<float, kMaxBeams> storage;
  const std::span<float> ranges_m(storage.data(), directions_.size());
  CastBeams(car, view, ranges_m);
  if (options_.noise_m > 0 || options_.dropout_frac > 0) {
    AddNoise(view.noise_factor, random, ranges_m);
  }
  const float low_m = static_cast<float>(options_.min_range_m);
  const float high_m = static_cast<float>(options_.max_range_m);
  for (float& range_m : ranges_m) range_m = Clamp(range_m, low_m, high_m);
  WriteForm(ranges_m, numbers);
}

}  // namespace lapforge::sim
