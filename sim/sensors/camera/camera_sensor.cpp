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
constexpr std::array<double, 3> kFaceLights = {0.8, 0.65, 1.0};  // across x, y and z
// Points of a box's edges that are projected to find what it may cover. Straight edges stay
// straight in a pinhole; in a fisheye they bend, and the margin covers what lies between points.
constexpr int kFisheyePointsPerEdge = 9;
constexpr double kMarginPx = 2;

void CopyRotation(const Rotation3& rotation, float fov_factor, float to[9]) {
  const std::array<Vec3, 3> rows = {rotation.x, rotation.y, rotation.z};
  for (size_t i = 0; i < 3; ++i) {
    to[3 * i] = static_cast<float>(rows[i].x);
    to[3 * i + 1] = static_cast<float>(rows[i].y) * fov_factor;
    to[3 * i + 2] = static_cast<float>(rows[i].z) * fov_factor;
  }
}

// Points of the edges of a box from -1 to 1 on each axis: the corners, in a fisheye more.
std::vector<Vec3> OutlineOf(CameraLensKind lens) {
  std::vector<Vec3> points;
  const int num_steps = lens == CameraLensKind::kPinhole ? 1 : kFisheyePointsPerEdge - 1;
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {-1.0, 1.0}) {
      for (int i = 0; i <= num_steps; ++i) {
        const double t = -1 + 2.0 * i / num_steps;
        points.push_back({t, a, b});
        if (lens == CameraLensKind::kPinhole) continue;
        points.push_back({a, t, b});
        points.push_back({a, b, t});
      }
    }
  }
  return points;
}

}  // namespace

CameraSensor::CameraSensor(const SimOptions& options, const CarSpec& car,
                           std::span<const CameraGround> grounds)
    : options_(options.sensors.camera),
      objects_(options.objects),
      mount_m_{options_.mount_x_m - car.origin_to_com_m, options_.mount_y_m - car.com_left_m,
               options_.mount_z_m - car.com_height_m},
      lens_(options_),
      outline_(OutlineOf(options_.lens)),
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
  const auto& com_shift = variation.com_shift_m;
  const Rotation3 body = RotationOf(car.roll_rad, car.pitch_rad, car.yaw_rad);
  const Rotation3 mount = RotationOf(RadFromDeg(options_.mount_roll_deg) + turn[0],
                                     RadFromDeg(options_.mount_pitch_deg) + turn[1],
                                     RadFromDeg(options_.mount_yaw_deg) + turn[2]);
  const Vec3 place_m =
      mount_m_ + Vec3{shift[0] - com_shift[0], shift[1] - com_shift[1], shift[2] - com_shift[2]} +
      mount.Apply(Vec3{0, side_m, 0});
  return {car.position_world_m + body.Apply(place_m), Compose(body, mount)};
}

std::optional<CameraSensor::PixelRect> CameraSensor::CoverOf(const ObjectFacts& box,
                                                             const CameraPose& pose,
                                                             float fov_factor) const {
  // the box's middle and half axes as the camera sees them
  const Vec2 along = DirectionOf(box.yaw_rad);
  const auto seen = [&](Vec3 world) {
    const Vec3 local = pose.rotation.ApplyInverse(world);
    return Vec3{local.x, local.y / fov_factor, local.z / fov_factor};
  };
  const Vec3 middle = seen(MiddleOf(box) - pose.position_m);
  const Vec3 x_axis = seen(box.length_m / 2 * Vec3{along.x, along.y, 0});
  const Vec3 y_axis = seen(box.width_m / 2 * Vec3{-along.y, along.x, 0});
  const Vec3 z_axis = seen(box.height_m / 2 * Vec3{0, 0, 1});

  PixelPlace low{1e9, 1e9};
  PixelPlace high{-1e9, -1e9};
  bool is_partly_behind = false;
  for (const Vec3 point : outline_) {
    const auto place =
        lens_.PlaceOf(middle + point.x * x_axis + point.y * y_axis + point.z * z_axis);
    is_partly_behind |= !place.has_value();
    if (!place) continue;
    low = {std::min(low.column, place->column), std::min(low.row, place->row)};
    high = {std::max(high.column, place->column), std::max(high.row, place->row)};
  }
  const PixelPlace last{options_.width_px - 1.0, options_.height_px - 1.0};
  if (high.column < low.column) return std::nullopt;  // wholly behind
  if (is_partly_behind) low = {0, 0}, high = last;
  low = {std::max(low.column - kMarginPx, 0.0), std::max(low.row - kMarginPx, 0.0)};
  high = {std::min(high.column + kMarginPx, last.column), std::min(high.row + kMarginPx, last.row)};
  if (low.column > high.column || low.row > high.row) return std::nullopt;
  return PixelRect{static_cast<int>(low.column), static_cast<int>(high.column),
                   static_cast<int>(low.row), static_cast<int>(high.row)};
}

CameraBoxJob CameraSensor::BoxJobOf(const ObjectFacts& box, const PixelRect& cover,
                                    const CameraPose& pose, float fov_factor) const {
  CameraBoxJob paint;
  const Rotation3 world_to_box = RotationOf(0, 0, -box.yaw_rad);
  CopyRotation(Compose(world_to_box, pose.rotation), fov_factor, paint.rotation);
  const Vec3 from = world_to_box.Apply(pose.position_m - MiddleOf(box));
  const std::array<double, 3> from_m = {from.x, from.y, from.z};
  const std::array<float, 3> half_m = {box.length_m / 2, box.width_m / 2, box.height_m / 2};
  for (size_t axis = 0; axis < 3; ++axis) {
    paint.camera_m[axis] = static_cast<float>(from_m[axis]);
    paint.half_m[axis] = half_m[axis];
    for (int& shade : paint.shade[axis]) {
      shade = static_cast<int>(std::lround(objects_.gray_level * kFaceLights[axis]));
    }
  }
  paint.width_px = options_.width_px;
  paint.first_column = cover.first_column;
  paint.last_column = cover.last_column;
  paint.first_row = cover.first_row;
  paint.last_row = cover.last_row;
  return paint;
}

// Far ones first.
void CameraSensor::AddBoxes(const StepFacts& facts, const CameraPose& pose, float fov_factor,
                            CameraFrame& frame) const {
  frame.num_boxes = 0;
  std::array<bool, kMaxObjects> is_done{};
  for (int count = 0; count < facts.num_objects; ++count) {
    size_t farthest = 0;
    double distance_m = -1;
    for (size_t i = 0; i < static_cast<size_t>(facts.num_objects); ++i) {
      const Vec2 away_m = facts.objects[i].position_m - Vec2{pose.position_m.x, pose.position_m.y};
      if (is_done[i] || Length(away_m) <= distance_m) continue;
      distance_m = Length(away_m);
      farthest = i;
    }
    is_done[farthest] = true;
    const ObjectFacts& box = facts.objects[farthest];
    const std::optional<PixelRect> cover = CoverOf(box, pose, fov_factor);
    if (cover) frame.boxes[frame.num_boxes++] = BoxJobOf(box, *cover, pose, fov_factor);
  }
}

ImageEffects CameraSensor::EffectsOf(const EpisodeVariation& variation, int num_planes,
                                     int plane) const {
  const auto& light = variation.light_factor;
  ImageEffects effects;
  effects.blur_frac = variation.blur_frac;
  // Y of spec/deepracer.md 2.2
  effects.light_factor = num_planes == 1 ? 0.2989 * light[0] + 0.5870 * light[1] + 0.1141 * light[2]
                                         : light[static_cast<size_t>(plane)];
  effects.contrast_factor = variation.contrast_factor;
  effects.brightness_levels = variation.brightness_levels;
  effects.noise_levels = options_.noise_levels * variation.noise_factor;
  return effects;
}

CameraFrame CameraSensor::FrameOf(const StepFacts& facts, const EpisodeVariation& variation,
                                  const CameraGround& ground, RngStream& random,
                                  int image_index) const {
  const double side_m = options_.stereo ? (image_index == 0 ? 0.5 : -0.5) * options_.baseline_m : 0;
  const CameraPose pose = PoseOf(facts.car, variation, side_m);
  CameraFrame frame;
  CopyRotation(pose.rotation, variation.camera_fov_factor, frame.rotation);
  frame.camera_height_m = static_cast<float>(std::max(pose.position_m.z, 1e-3));
  ground.PlaceCamera({pose.position_m.x, pose.position_m.y}, frame.camera_u, frame.camera_v);
  frame.ground_index = 0;
  AddBoxes(facts, pose, variation.camera_fov_factor, frame);
  for (int plane = 0; plane < ground.num_planes(); ++plane) {
    frame.effects[plane] = effector_.Plan(EffectsOf(variation, ground.num_planes(), plane), random);
  }
  return frame;
}

void CameraSensor::Paint(const CameraFrame& frame, const CameraGround& ground,
                         uint8_t* image) const {
  const CameraScene scene = SceneOf(ground.num_planes());
  CameraJob job;
  job.ray_x = scene.ray_x;
  job.ray_y = scene.ray_y;
  job.ray_z = scene.ray_z;
  job.block_level = scene.block_level;
  job.num_pixels = scene.num_pixels;
  job.num_planes = scene.num_planes;
  std::copy(std::begin(scene.horizon), std::end(scene.horizon), job.horizon);
  std::copy(std::begin(scene.zenith), std::end(scene.zenith), job.zenith);
  std::copy(std::begin(frame.rotation), std::end(frame.rotation), job.rotation);
  job.camera_height_m = frame.camera_height_m;
  job.image = image;
  for (int i = 0; i < ground.num_levels(); ++i) {
    job.levels[i] = ground.level(i);
    job.levels[i].camera_u = frame.camera_u[i];
    job.levels[i].camera_v = frame.camera_v[i];
  }
  kernels_.paint_image(job);
  for (int i = 0; i < frame.num_boxes; ++i) kernels_.paint_box(job, frame.boxes[i]);

  const size_t num_pixels = static_cast<size_t>(job.num_pixels);
  for (int plane = 0; plane < job.num_planes; ++plane) {
    effector_.Apply(frame.effects[plane], options_.width_px,
                    {image + static_cast<size_t>(plane) * num_pixels, num_pixels});
  }
}

CameraScene CameraSensor::SceneOf(int num_planes) const {
  CameraScene scene{};
  scene.ray_x = lens_.ray_x().data();
  scene.ray_y = lens_.ray_y().data();
  scene.ray_z = lens_.ray_z().data();
  scene.block_level = block_levels_.data();
  scene.width_px = options_.width_px;
  scene.num_pixels = options_.width_px * options_.height_px;
  scene.num_planes = num_planes;
  for (size_t plane = 0; plane < kMaxImagePlanes; ++plane) {
    scene.horizon[plane] = num_planes == 1 ? kHorizonGray : kHorizonRgb[plane];
    scene.zenith[plane] = num_planes == 1 ? kZenithGray : kZenithRgb[plane];
  }
  scene.noise = effector_.noise().data();
  return scene;
}

CameraScene CameraSensor::SceneOf(std::span<const CameraGround> grounds,
                                  std::vector<CameraLevel>& levels) const {
  levels.assign(grounds.size() * kMaxCameraLevels, CameraLevel{});
  for (size_t i = 0; i < grounds.size(); ++i) {
    for (int level = 0; level < grounds[i].num_levels(); ++level) {
      levels[i * kMaxCameraLevels + static_cast<size_t>(level)] = grounds[i].level(level);
    }
  }
  CameraScene scene = SceneOf(grounds.front().num_planes());
  scene.levels = levels.data();
  return scene;
}

void CameraSensor::Write(const StepFacts& facts, const EpisodeVariation& variation,
                         const CameraGround& ground, RngStream& random,
                         std::span<uint8_t> image) const {
  const size_t image_bytes = image.size() / static_cast<size_t>(num_images());
  for (int i = 0; i < num_images(); ++i) {
    const CameraFrame frame = FrameOf(facts, variation, ground, random, i);
    Paint(frame, ground, image.data() + static_cast<size_t>(i) * image_bytes);
  }
}

}  // namespace lapforge::sim
