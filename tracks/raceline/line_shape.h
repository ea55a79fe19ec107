// The shape of a line given as points: lengths, curvatures, directions, and how they change when
// the points move.
#pragma once

#include <span>
#include <vector>

#include "sim/base/math.h"

namespace lapforge::tracks {

// Points in driving order. A closed line goes on from the last to the first, which is not repeated.
struct Line {
  std::vector<Vec2> points_m;
  bool is_closed = false;

  int size() const { return static_cast<int>(points_m.size()); }
  int num_segments() const { return is_closed ? size() : size() - 1; }
  int Next(int i) const { return i + 1 < size() ? i + 1 : is_closed ? 0 : i; }
  int Before(int i) const { return i > 0 ? i - 1 : is_closed ? size() - 1 : 0; }
  Vec2 Chord(int i) const { return points_m[Next(i)] - points_m[i]; }
};

struct LineShape {
  std::vector<double> length_m;       // [num_segments]: of the chord behind a point
  std::vector<double> curvature_1pm;  // [size]: of the circle through a point and its neighbours
};

// Zero curvature at the ends of an open line. Exact for points of a circle.
LineShape ShapeOf(const Line& line);

// Directions of travel: of the tangent of that same circle.
std::vector<double> YawOf(const Line& line, const LineShape& shape);

// Change of a point's curvature when it and its neighbours move along given directions.
struct CurvatureChange {
  double before = 0;
  double at = 0;
  double after = 0;
};

// `directions`: of each point, unit vectors. [size]; zero at the ends of an open line.
std::vector<CurvatureChange> CurvatureChanges(const Line& line, std::span<const Vec2> directions);

// As many points as there are steps of `step_m` or less, evenly spaced on a smooth curve (cubic
// Hermite) through the points of a line; the ends of an open one stay.
Line Resampled(const Line& line, double step_m);

}  // namespace lapforge::tracks
