#include "tracks/raceline/line_shape.h"

#include <algorithm>
#include <cmath>

namespace lapforge::tracks {
namespace {

// A file may have points that coincide; no division by zero then.
constexpr double kTiny_m = 1e-12;

// Two chords that meet in a point, and the third side of their triangle.
struct Corner {
  Vec2 a, b, c;
  double a_m, b_m, c_m;

  // Menger's curvature: four times the area over the product of the sides.
  double Curvature() const { return 2 * Cross(a, b) / (a_m * b_m * c_m); }
};

Corner CornerAt(const Line& line, int i) {
  Corner corner;
  corner.a = line.Chord(line.Before(i));
  corner.b = line.Chord(i);
  corner.c = corner.a + corner.b;
  corner.a_m = std::max(kTiny_m, Length(corner.a));
  corner.b_m = std::max(kTiny_m, Length(corner.b));
  corner.c_m = std::max(kTiny_m, Length(corner.c));
  return corner;
}

bool IsEnd(const Line& line, int i) { return !line.is_closed && (i == 0 || i + 1 == line.size()); }

Vec2 HermitePoint(const Line& line, const std::vector<double>& yaw_rad, int i, double fraction) {
  const Vec2 from_m = line.points_m[i];
  const Vec2 chord_m = line.Chord(i);
  const double length_m = Length(chord_m);
  const Vec2 leave = length_m * DirectionOf(yaw_rad[i]) - chord_m;
  const Vec2 arrive = length_m * DirectionOf(yaw_rad[line.Next(i)]) - chord_m;
  const double f = fraction, g = 1 - fraction;
  return from_m + f * chord_m + f * g * (g * leave - f * arrive);
}

}  // namespace

LineShape ShapeOf(const Line& line) {
  LineShape shape;
  for (int i = 0; i < line.num_segments(); ++i) shape.length_m.push_back(Length(line.Chord(i)));
  for (int i = 0; i < line.size(); ++i) {
    shape.curvature_1pm.push_back(IsEnd(line, i) ? 0 : CornerAt(line, i).Curvature());
  }
  return shape;
}

std::vector<double> YawOf(const Line& line, const LineShape& shape) {
  std::vector<double> yaw_rad;
  for (int i = 0; i < line.size(); ++i) {
    const bool is_last = !line.is_closed && i + 1 == line.size();
    const int segment = is_last ? i - 1 : i;
    const Vec2 chord = line.Chord(segment);
    // tangent and chord of a circle differ by half the arc between
    const double half_arc_rad =
        std::asin(Clamp(0.5 * shape.length_m[segment] * shape.curvature_1pm[i], -1.0, 1.0));
    yaw_rad.push_back(WrapAngle(std::atan2(chord.y, chord.x) - half_arc_rad));
  }
  return yaw_rad;
}

std::vector<CurvatureChange> CurvatureChanges(const Line& line, std::span<const Vec2> directions) {
  std::vector<CurvatureChange> changes(line.size());
  for (int i = 0; i < line.size(); ++i) {
    if (IsEnd(line, i)) continue;
    const Corner corner = CornerAt(line, i);
    const double per_area = 2 / (corner.a_m * corner.b_m * corner.c_m);
    const double curvature_1pm = corner.Curvature();
    const Vec2 c_part = corner.c / (corner.c_m * corner.c_m);
    const Vec2 by_a = -per_area * LeftNormal(corner.b) -
                      curvature_1pm * (corner.a / (corner.a_m * corner.a_m) + c_part);
    const Vec2 by_b = per_area * LeftNormal(corner.a) -
                      curvature_1pm * (corner.b / (corner.b_m * corner.b_m) + c_part);
    changes[i].before = -Dot(by_a, directions[line.Before(i)]);
    changes[i].at = Dot(by_a - by_b, directions[i]);
    changes[i].after = Dot(by_b, directions[line.Next(i)]);
  }
  return changes;
}

Line Resampled(const Line& line, double step_m) {
  const LineShape shape = ShapeOf(line);
  const std::vector<double> yaw_rad = YawOf(line, shape);
  double length_m = 0;
  for (const double segment_m : shape.length_m) length_m += segment_m;

  Line even;
  even.is_closed = line.is_closed;
  const int num_steps = std::max(8, static_cast<int>(std::ceil(length_m / step_m)));
  const int num_points = line.is_closed ? num_steps : num_steps + 1;
  int segment = 0;
  double begin_m = 0;  // of that segment
  for (int k = 0; k < num_points; ++k) {
    const double arc_m = length_m * k / num_steps;
    while (segment + 1 < line.num_segments() && begin_m + shape.length_m[segment] < arc_m) {
      begin_m += shape.length_m[segment++];
    }
    const double fraction =
        Clamp((arc_m - begin_m) / std::max(kTiny_m, shape.length_m[segment]), 0.0, 1.0);
    even.points_m.push_back(HermitePoint(line, yaw_rad, segment, fraction));
  }
  return even;
}

}  // namespace lapforge::tracks
