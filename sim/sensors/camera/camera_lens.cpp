#include "sim/sensors/camera/camera_lens.h"

#include <algorithm>
#include <cmath>

namespace lapforge::sim {
namespace {

// A pinhole shows nothing nearer to its plane than this, for a point a metre to the side.
constexpr double kMinForward = 1e-3;

double FocalOf(const CameraOptions& options) {
  const double half_fov_rad = RadFromDeg(options.fov_deg) / 2;
  const bool is_fisheye = options.lens == CameraLensKind::kFisheye;
  return options.width_px / 2.0 / (is_fisheye ? half_fov_rad : std::tan(half_fov_rad));
}

}  // namespace

CameraLens::CameraLens(const CameraOptions& options)
    : is_fisheye_(options.lens == CameraLensKind::kFisheye),
      width_px_(options.width_px),
      height_px_(options.height_px),
      focal_px_(FocalOf(options)) {
  for (int row = 0; row < height_px_; ++row) {
    for (int column = 0; column < width_px_; ++column) {
      const Vec3 ray = RayOf({static_cast<double>(column), static_cast<double>(row)});
      ray_x_.push_back(static_cast<float>(ray.x));
      ray_y_.push_back(static_cast<float>(ray.y));
      ray_z_.push_back(static_cast<float>(ray.z));
    }
  }
}

Vec3 CameraLens::RayOf(PixelPlace place) const {
  const double right = (place.column - (width_px_ - 1) / 2.0) / focal_px_;
  const double down = (place.row - (height_px_ - 1) / 2.0) / focal_px_;
  if (!is_fisheye_) return {1, -right, -down};
  const double angle_rad = std::hypot(right, down);
  const double share = angle_rad > 0 ? std::sin(angle_rad) / angle_rad : 1;
  return {std::cos(angle_rad), -right * share, -down * share};
}

std::optional<PixelPlace> CameraLens::PlaceOf(Vec3 point) const {
  double scale;
  if (is_fisheye_) {
    const double aside = std::hypot(point.y, point.z);
    scale = aside > 0 ? std::atan2(aside, point.x) / aside : 0;
  } else {
    if (point.x <= kMinForward * std::hypot(point.y, point.z)) return std::nullopt;
    scale = 1 / point.x;
  }
  return PixelPlace{(width_px_ - 1) / 2.0 - point.y * scale * focal_px_,
                    (height_px_ - 1) / 2.0 - point.z * scale * focal_px_};
}

std::vector<uint8_t> CameraLens::BlockLevels(const Rotation3& rotation, double height_m,
                                             double texel_m, int num_levels) const {
  // the ground where a place of the image looks
  const auto ground = [&](double column, double row) -> std::optional<Vec2> {
    const Vec3 ray = rotation.Apply(RayOf({column, row}));
    if (ray.z >= 0) return std::nullopt;
    return Vec2{ray.x, ray.y} * (height_m / -ray.z);
  };
  std::vector<uint8_t> levels;
  for (int block = 0; block < width_px_ * height_px_ / kPixelBlock; ++block) {
    const int middle = block * kPixelBlock + kPixelBlock / 2;
    const double column = middle % width_px_;
    const double row = middle / width_px_;
    const auto here = ground(column, row);
    const auto right = ground(column + 0.5, row);
    const auto below = ground(column, row + 0.5);
    double level = num_levels - 1;
    if (here && right && below) {
      const double seen_m2 = 4 * std::abs(Cross(*right - *here, *below - *here));
      level = std::round(std::log2(std::max(std::sqrt(seen_m2) / texel_m, 1e-9)));
    }
    levels.push_back(static_cast<uint8_t>(Clamp(level, 0.0, static_cast<double>(num_levels - 1))));
  }
  return levels;
}

}  // namespace lapforge::sim
