#include "sim/sensors/camera/camera_sensor.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lapforge::sim {
namespace {

// Sky of a clear day, as Gazebo's: pale at the horizon, blue above.
constexpr std::array<float, 3> kHorizonRgb = {190, 200, 210};
constexpr std::array<float, 3> kZenithRgb = {110, 150, 205};
constexpr float kHorizonGray = 198;
constexpr float kZenithGray = 144;
// Light on a box's faces: from above and a little from one side, as DeepRacer's sun.
constexpr double kTopLight = 1.0;
constexpr double kLongSideLight = 0.65;
constexpr double kShortSideLight = 0.8;
// Points of a box's edges that are projected to find what it may cover; straight edges bend in a
// fisheye, which the margin covers.
constexpr int kPointsPerEdge = 9;
constexpr double kMarginPx = 2;

void CopyRotation(const Rotation3& rotation, float fov_factor, float to[9]) {
  const std::array<Vec3, 3> rows = {rotation.x, rotation.y, rotation.z};
  for (size_t i = 0; i < 3; ++i) {
    to[3 * i] = static_cast<float>(rows[i].x);
    to[3 * i + 1] = static_cast<float>(rows[i].y) * fov_factor;
    to[3 * i + 2] = static_cast<float>(rows[i].z) * fov_factor;
  }
}

// Smallest rectangle around what may show of a box; empty (first > last) where nothing may.
struct PixelRect {
  double first_column = 1e9, last_column = -1e9;
  double first_row = 1e9, last_row = -1e9;

  void Add(PixelPlace place) {
    first_column = std::min(first_column, place.column);
    last_column = std::max(last_column, place.column);
    first_row = std::min(first_row, place.row);
    last_row = std::max(last_row, place.row);
  }
};

// Calls visit(point) along all edges of a box with half sizes `half`, from corner to corner.
template <class Visit>
void VisitEdges(Vec3 half, Visit visit) {
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {-1.0, 1.0}) {
      for (int i = 0; i < kPointsPerEdge; ++i) {
        const double t = -1 + 2.0 * i / (kPointsPerEdge - 1);
        visit(Vec3{t * half.x, a * half.y, b * half.z});
        visit(Vec3{a * half.x, t * half.y, b * half.z});
        visit(Vec3{a * half.x, b * half.y, t * half.z});
      }
    }
  }
}

}  // namespace

CameraSensor::CameraSensor(const SimOptions& options, const CarSpec& car,
                           std::span<const CameraGround> grounds)
    : options_(options.sensors.camera),
      objects_(options.objects),
      mount_m_{options_.mount_x_m - car.origin_to_com_m, options_.mount_y_m,
               options_.mount_z_m - car.com_height_m},
      lens_(options_),
      kernels_(RunnableCameraKernels().back()) {
  int num_levels = kMaxCameraLevels;
  for (const CameraGround& ground : grounds) num_levels = std::min(num_levels, ground.num_levels());
  block_levels_ = lens_.BlockLevels(PoseOf({}, {}, 0).rotation, options_.mount_z_m,
                                    grounds.front().texel_m(), num_levels);
}

CameraPose CameraSensor::PoseOf(const CarState& car, const EpisodeVariation& variation,
                                double side_m) const {
  const auto& turn = variation.camera_turn_rad;
  const auto& shift = variation.camera_shift_m;
  const Rotation3 body = RotationOf(car.roll_rad, car.pitch_rad, car.yaw_rad);
  const Rotation3 mount = RotationOf(RadFromDeg(options_.mount_roll_deg) + turn[0],
                                     RadFromDeg(options_.mount_pitch_deg) + turn[1],
                                     RadFromDeg(options_.mount_yaw_deg) + turn[2]);
  const Vec3 place_m =
      mount_m_ + Vec3{shift[0], shift[1], shift[2]} + mount.Apply(Vec3{0, side_m, 0});
  return {car.position_world_m + body.Apply(place_m), Compose(body, mount)};
}

void CameraSensor::PaintBox(const ObjectFacts& box, const CameraPose& pose, float fov_factor,
                            const CameraJob& job) const {
  const Vec3 half = {objects_.length_m / 2, objects_.width_m / 2, objects_.height_m / 2};
  const Rotation3 box_to_world = RotationOf(0, 0, box.yaw_rad);
  const Vec3 middle_m = {box.position_m.x, box.position_m.y, half.z};

  // what it may cover; nothing is said of a box that reaches behind the lens
  PixelRect rect;
  bool is_partly_behind = false;
  VisitEdges(half, [&](Vec3 point) {
    const Vec3 world = middle_m + box_to_world.Apply(point) - pose.position_m;
    Vec3 seen = pose.rotation.ApplyInverse(world);
    seen.y /= fov_factor;
    seen.z /= fov_factor;
    if (const auto place = lens_.PlaceOf(seen)) {
      rect.Add(*place);
    } else {
      is_partly_behind = true;
    }
  });
  const double last_column = options_.width_px - 1;
  const double last_row = options_.height_px - 1;
  if (rect.last_column < rect.first_column) return;  // wholly behind
  if (is_partly_behind) rect = {0, last_column, 0, last_row};
  const double first_x = std::max(rect.first_column - kMarginPx, 0.0);
  const double last_x = std::min(rect.last_column + kMarginPx, last_column);
  const double first_y = std::max(rect.first_row - kMarginPx, 0.0);
  const double last_y = std::min(rect.last_row + kMarginPx, last_row);
  if (first_x > last_x || first_y > last_y) return;

  CameraBoxJob paint;
  const Rotation3 world_to_box = RotationOf(0, 0, -box.yaw_rad);
  CopyRotation(Compose(world_to_box, pose.rotation), fov_factor, paint.rotation);
  const Vec3 from = world_to_box.Apply(pose.position_m - middle_m);
  const std::array<double, 3> from_m = {from.x, from.y, from.z};
  const std::array<double, 3> half_m = {half.x, half.y, half.z};
  const std::array<double, 3> lights = {kShortSideLight, kLongSideLight, kTopLight};
  for (size_t axis = 0; axis < 3; ++axis) {
    paint.camera_m[axis] = static_cast<float>(from_m[axis]);
    paint.half_m[axis] = static_cast<float>(half_m[axis]);
    for (int& shade : paint.shade[axis]) {
      shade = static_cast<int>(std::lround(objects_.gray_level * lights[axis]));
    }
  }
  paint.width_px = options_.width_px;
  paint.first_column = static_cast<int>(first_x);
  paint.last_column = static_cast<int>(last_x);
  paint.first_row = static_cast<int>(first_y);
  paint.last_row = static_cast<int>(last_y);
  kernels_.paint_box(job, paint);
}

void CameraSensor::Paint(const StepFacts& facts, const CameraPose& pose, float fov_factor,
                         CameraJob& job) const {
  CopyRotation(pose.rotation, fov_factor, job.rotation);
  job.camera_height_m = static_cast<float>(std::max(pose.position_m.z, 1e-3));
  kernels_.paint_image(job);

  // far boxes first
  std::array<bool, kMaxObjects> is_painted{};
  for (int painted = 0; painted < facts.num_objects; ++painted) {
    size_t farthest = 0;
    double distance_m = -1;
    for (size_t i = 0; i < static_cast<size_t>(facts.num_objects); ++i) {
      const Vec2 away_m = facts.objects[i].position_m - Vec2{pose.position_m.x, pose.position_m.y};
      if (is_painted[i] || Length(away_m) <= distance_m) continue;
      distance_m = Length(away_m);
      farthest = i;
    }
    is_painted[farthest] = true;
    PaintBox(facts.objects[farthest], pose, fov_factor, job);
  }
}

void CameraSensor::Write(const StepFacts& facts, const EpisodeVariation& variation,
                         const CameraGround& ground, RngStream& random,
                         std::span<uint8_t> image) const {
  const int num_pixels = options_.width_px * options_.height_px;
  const int num_planes = ground.num_planes();
  CameraJob job;
  job.ray_x = lens_.ray_x().data();
  job.ray_y = lens_.ray_y().data();
  job.ray_z = lens_.ray_z().data();
  job.block_level = block_levels_.data();
  job.num_pixels = num_pixels;
  job.num_planes = num_planes;
  for (size_t plane = 0; plane < kMaxImagePlanes; ++plane) {
    job.horizon[plane] = num_planes == 1 ? kHorizonGray : kHorizonRgb[plane];
    job.zenith[plane] = num_planes == 1 ? kZenithGray : kZenithRgb[plane];
  }

  const int num_images = options_.stereo ? 2 : 1;
  for (int i = 0; i < num_images; ++i) {
    const double side_m = options_.stereo ? (i == 0 ? 0.5 : -0.5) * options_.baseline_m : 0;
    const CameraPose pose = PoseOf(facts.car, variation, side_m);
    ground.FillLevels({pose.position_m.x, pose.position_m.y}, job.levels);
    job.image = image.data() + i * num_planes * num_pixels;
    Paint(facts, pose, variation.camera_fov_factor, job);
  }

  for (int i = 0; i < num_images * num_planes; ++i) {
    const auto& light = variation.light_factor;
    ImageEffects effects;
    effects.blur_frac = variation.blur_frac;
    // Y of spec/deepracer.md 2.2
    effects.light_factor = num_planes == 1
                               ? 0.2989 * light[0] + 0.5870 * light[1] + 0.1141 * light[2]
                               : light[static_cast<size_t>(i % num_planes)];
    effects.contrast_factor = variation.contrast_factor;
    effects.brightness_levels = variation.brightness_levels;
    effects.noise_levels = options_.noise_levels * variation.noise_factor;
    if (effects == ImageEffects()) continue;
    effector_.Apply(
        effects, options_.width_px, random,
        image.subspan(static_cast<size_t>(i * num_pixels), static_cast<size_t>(num_pixels)));
  }
}

}  // namespace lapforge::sim
