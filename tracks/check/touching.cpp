#include "tracks/check/touching.h"

#include <array>
#include <cmath>

namespace lapforge::tracks {
namespace {

constexpr double kTouch_m = 1e-6;

// True where both ends of `other` lie strictly on one side of the line through `one`.
bool Separates(const Segment& one, const Segment& other) {
  const double a = Cross(one.b - one.a, other.a - one.a);
  const double b = Cross(one.b - one.a, other.b - one.a);
  return (a > 0 && b > 0) || (a < 0 && b < 0);
}

bool BoxesTouch(const Segment& one, const Segment& other) {
  return std::max(one.a.x, one.b.x) >= std::min(other.a.x, other.b.x) &&
         std::max(other.a.x, other.b.x) >= std::min(one.a.x, one.b.x) &&
         std::max(one.a.y, one.b.y) >= std::min(other.a.y, other.b.y) &&
         std::max(other.a.y, other.b.y) >= std::min(one.a.y, one.b.y);
}

// True where a side of `one` has the triangles on its two sides, more than a touch apart.
bool HasSeparatingSide(const Triangle& one, const Triangle& other) {
  const std::array<Vec2, 3> corners = {one.a, one.b, one.c};
  for (int i = 0; i < 3; ++i) {
    const Vec2 from = corners[i];
    const Vec2 side = corners[(i + 1) % 3] - from;
    const double length_m = Length(side);
    if (length_m == 0) continue;
    const Vec2 normal = LeftNormal(side) / length_m;
    const double apex_m = Dot(normal, corners[(i + 2) % 3] - from);
    const auto [low_m, high_m] = std::minmax(
        {Dot(normal, other.a - from), Dot(normal, other.b - from), Dot(normal, other.c - from)});
    if (low_m > std::max(apex_m, 0.0) + kTouch_m || high_m < std::min(apex_m, 0.0) - kTouch_m) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool Touches(const Segment& one, const Segment& other) {
  return BoxesTouch(one, other) && !Separates(one, other) && !Separates(other, one);
}

Vec2 MeetingPoint(const Segment& one, const Segment& other) {
  const Vec2 along = one.b - one.a;
  const double slope = Cross(along, other.b - other.a);
  if (slope != 0) {
    const double fraction = Cross(other.a - one.a, other.b - other.a) / slope;
    return Lerp(one.a, one.b, Clamp(fraction, 0.0, 1.0));
  }
  // parallel: an end of one lies on the other
  for (const Vec2 end : {other.a, other.b}) {
    if (Dot(end - one.a, end - one.b) <= 0) return end;
  }
  return one.a;
}

bool Touches(const Triangle& one, const Triangle& other) {
  return !HasSeparatingSide(one, other) && !HasSeparatingSide(other, one);
}

std::optional<std::pair<double, double>> PartInside(const Segment& segment,
                                                    const Triangle& triangle) {
  std::array<Vec2, 3> corners = {triangle.a, triangle.b, triangle.c};
  const double twice_area = Cross(triangle.b - triangle.a, triangle.c - triangle.a);
  if (twice_area == 0) return {};
  if (twice_area < 0) std::swap(corners[1], corners[2]);

  // the segment is cut at each side
  double from = 0, to = 1;
  for (int i = 0; i < 3; ++i) {
    const Vec2 side = corners[(i + 1) % 3] - corners[i];
    const double at_a = Cross(side, segment.a - corners[i]);  // positive inside
    const double at_b = Cross(side, segment.b - corners[i]);
    if (at_a < 0 && at_b < 0) return {};
    if (at_a < 0) from = std::max(from, at_a / (at_a - at_b));
    if (at_b < 0) to = std::min(to, at_a / (at_a - at_b));
  }
  if (from >= to) return {};
  return std::pair(from, to);
}

Box BoxAround(std::span<const Vec2> points) {
  Box box{points[0], points[0]};
  for (const Vec2 point : points) {
    box.low = {std::min(box.low.x, point.x), std::min(box.low.y, point.y)};
    box.high = {std::max(box.high.x, point.x), std::max(box.high.y, point.y)};
  }
  return box;
}

}  // namespace lapforge::tracks
