#include "tracks/generate/tour.h"

#include <algorithm>
#include <limits>

namespace lapforge::tracks {
namespace {

// A rectangle with a round bite taken out: tours around it are slender, bent, or full.
struct Region {
  explicit Region(RngStream& rng)
      : size{1, rng.Uniform(0.4, 1)},
        bite_center{rng.Uniform(0, size.x), rng.Uniform(0, size.y)},
        bite_radius(rng.Uniform(0, 0.5 * size.y)) {}

  bool Contains(Vec2 point) const { return Length(point - bite_center) > bite_radius; }

  Vec2 size;
  Vec2 bite_center;
  double bite_radius;
};

Vec2 RandomPoint(const Region& region, RngStream& rng) {
  Vec2 point;
  do {
    point = {rng.Uniform(0, region.size.x), rng.Uniform(0, region.size.y)};
  } while (!region.Contains(point));
  return point;
}

// Infinite where there are no others.
double SquaredDistanceToNearest(Vec2 point, const std::vector<Vec2>& others) {
  double nearest_sq = std::numeric_limits<double>::infinity();
  for (const Vec2 other : others) {
    nearest_sq = std::min(nearest_sq, Dot(other - point, other - point));
  }
  return nearest_sq;
}

// Each point is the loneliest of a few candidates (Mitchell, "Spectrally optimal sampling for
// distribution ray tracing", 1991), so that they keep apart.
std::vector<Vec2> ScatterPoints(int num_points, RngStream& rng) {
  constexpr int kNumCandidates = 12;
  const Region region(rng);
  std::vector<Vec2> points;
  for (int i = 0; i < num_points; ++i) {
    Vec2 best = RandomPoint(region, rng);
    double best_sq = SquaredDistanceToNearest(best, points);
    for (int candidate = 1; candidate < kNumCandidates; ++candidate) {
      const Vec2 point = RandomPoint(region, rng);
      const double distance_sq = SquaredDistanceToNearest(point, points);
      if (distance_sq <= best_sq) continue;
      best = point;
      best_sq = distance_sq;
    }
    points.push_back(best);
  }
  return points;
}

// Exchanges two sides for shorter ones until there are none. Sides that cross could be exchanged
// so; hence none cross in the end (Croes, "A method for solving traveling-salesman problems",
// 1958).
void Untangle(std::vector<Vec2>& points) {
  constexpr double kLeastGain = 1e-9;
  const size_t n = points.size();
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (size_t i = 0; i + 2 < n; ++i) {
      for (size_t k = i + 2; k < n; ++k) {
        const Vec2 a = points[i], b = points[i + 1], c = points[k], d = points[(k + 1) % n];
        const double gain = Length(b - a) + Length(d - c) - Length(c - a) - Length(d - b);
        if (!(gain > kLeastGain)) continue;
        std::reverse(points.begin() + i + 1, points.begin() + k + 1);
        has_changed = true;
      }
    }
  }
}

double TwiceArea(const std::vector<Vec2>& points) {
  double sum = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    sum += Cross(points[i], points[(i + 1) % points.size()]);
  }
  return sum;
}

}  // namespace

std::vector<Corner> RandomTour(int num_corners, RngStream& rng) {
  std::vector<Vec2> points = ScatterPoints(num_corners, rng);
  Untangle(points);
  if (TwiceArea(points) < 0) std::reverse(points.begin(), points.end());
  std::vector<Corner> corners;
  for (const Vec2 point : points) corners.push_back({point, rng.Uniform(0, 1)});
  return corners;
}

}  // namespace lapforge::tracks
