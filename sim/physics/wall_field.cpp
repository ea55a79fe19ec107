#include "sim/physics/wall_field.h"

#include <algorithm>
#include <cmath>

namespace lapforge::sim {
namespace {

// A track of 20 x 20 m takes 160 KB, shared by its envs.
constexpr float kCellM = 0.1f;
// From a cell's middle to its corner, and what single precision may be off.
constexpr float kHalfDiagonalM = 0.0708f;

double DistanceToSegment(Vec2 point_m, const WallSegment& segment) {
  const Vec2 along = segment.to_m - segment.from_m;
  const double length_squared = Dot(along, along);
  const double fraction =
      length_squared > 0 ? Clamp(Dot(point_m - segment.from_m, along) / length_squared, 0.0, 1.0)
                         : 0;
  return Length(point_m - Lerp(segment.from_m, segment.to_m, fraction));
}

}  // namespace

WallField::WallField(std::span<const WallSegment> segments) {
  if (segments.empty()) return;
  Vec2 low_m = segments[0].from_m;
  Vec2 high_m = low_m;
  for (const WallSegment& segment : segments) {
    for (const Vec2 end_m : {segment.from_m, segment.to_m}) {
      low_m = {std::min(low_m.x, end_m.x), std::min(low_m.y, end_m.y)};
      high_m = {std::max(high_m.x, end_m.x), std::max(high_m.y, end_m.y)};
    }
  }
  origin_m_ = low_m - Vec2{kReachM, kReachM};
  width_ = static_cast<int>(std::ceil((high_m.x + kReachM - origin_m_.x) / kCellM));
  height_ = static_cast<int>(std::ceil((high_m.y + kReachM - origin_m_.y) / kCellM));
  distances_m_.assign(static_cast<size_t>(width_) * static_cast<size_t>(height_), kReachM);
  for (const WallSegment& segment : segments) AddWall(segment);
}

void WallField::AddWall(const WallSegment& segment) {
  const auto first_cell = [](double a, double b, double origin) {
    return static_cast<int>((std::min(a, b) - kReachM - origin) / kCellM);
  };
  const auto last_cell = [](double a, double b, double origin, int count) {
    return std::min(count - 1, static_cast<int>((std::max(a, b) + kReachM - origin) / kCellM));
  };
  const int first_x = std::max(0, first_cell(segment.from_m.x, segment.to_m.x, origin_m_.x));
  const int first_y = std::max(0, first_cell(segment.from_m.y, segment.to_m.y, origin_m_.y));
  const int last_x = last_cell(segment.from_m.x, segment.to_m.x, origin_m_.x, width_);
  const int last_y = last_cell(segment.from_m.y, segment.to_m.y, origin_m_.y, height_);
  for (int y = first_y; y <= last_y; ++y) {
    for (int x = first_x; x <= last_x; ++x) {
      const Vec2 middle_m = origin_m_ + kCellM * Vec2{x + 0.5, y + 0.5};
      float& distance_m = distances_m_[static_cast<size_t>(y) * width_ + x];
      distance_m = std::min(distance_m, static_cast<float>(DistanceToSegment(middle_m, segment)));
    }
  }
}

bool WallField::IsFree(float x_m, float y_m, float distance_m) const {
  const float x = (x_m - static_cast<float>(origin_m_.x)) / kCellM;
  const float y = (y_m - static_cast<float>(origin_m_.y)) / kCellM;
  const bool is_inside =
      x >= 0 && x < static_cast<float>(width_) && y >= 0 && y < static_cast<float>(height_);
  if (!is_inside) return true;
  const size_t cell = static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
  return distances_m_[cell] > distance_m + kHalfDiagonalM;
}

}  // namespace lapforge::sim
