#include "tracks/io/loop.h"

namespace lapforge::tracks {

double LoopLength(const std::vector<Vec2>& points) {
  double length = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    length += Length(points[(i + 1) % points.size()] - points[i]);
  }
  return length;
}

std::vector<Vec2> Resampled(const std::vector<Vec2>& points, size_t num_points) {
  const double step = LoopLength(points) / static_cast<double>(num_points);
  std::vector<Vec2> resampled;
  double passed = 0;  // along the loop up to points[i]
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec2 from = points[i], to = points[(i + 1) % points.size()];
    const double edge = Length(to - from);
    while (resampled.size() < num_points) {
      const double ahead = static_cast<double>(resampled.size()) * step - passed;
      if (ahead >= edge) break;
      resampled.push_back(Lerp(from, to, ahead / edge));
    }
    passed += edge;
  }
  while (resampled.size() < num_points) resampled.push_back(points.back());
  return resampled;
}

}  // namespace lapforge::tracks
