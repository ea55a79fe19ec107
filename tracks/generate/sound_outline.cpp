#include "tracks/generate/sound_outline.h"

#include <algorithm>
#include <optional>

namespace lapforge::tracks {
namespace {

double Perimeter(std::span<const Corner> corners) {
  double length_m = Length(corners.front().point_m - corners.back().point_m);
  for (size_t i = 0; i + 1 < corners.size(); ++i) {
    length_m += Length(corners[i + 1].point_m - corners[i].point_m);
  }
  return length_m;
}

// Scales the corners such that the rounded road has its length, but for a fraction of it. Of a
// change of the perimeter the road takes a part, or all where its bends are at their tightest; so
// these steps never go too far.
std::vector<Bend> ScaleToLength(std::vector<Corner>& corners, const RoadLimits& limits,
                                double tolerance_frac) {
  constexpr int kMaxSteps = 60;
  std::vector<Bend> bends;
  double missing_m = limits.length_m;
  for (int step = 0; step < kMaxSteps; ++step) {
    const double perimeter_m = Perimeter(corners);
    const double wanted_m = step == 0 ? limits.length_m : perimeter_m + missing_m;
    for (Corner& corner : corners) corner.point_m *= wanted_m / perimeter_m;
    bends = RoundCorners(corners, limits.min_radius_m);
    missing_m = limits.length_m - PathLength(bends);
    if (std::abs(missing_m) < tolerance_frac * limits.length_m) break;
  }
  return bends;
}

// A corner that hardly turns, or the corners of the side that is shortest of room for its bends.
std::optional<std::pair<size_t, size_t>> BendsWithoutRoom(std::span<const Bend> bends) {
  constexpr double kMinTurn_rad = RadFromDeg(6);
  std::optional<std::pair<size_t, size_t>> worst;
  double least_straight_m = 0.01;
  for (size_t i = 0; i < bends.size(); ++i) {
    if (std::abs(bends[i].turn_rad) < kMinTurn_rad) return std::pair(i, i);
    if (bends[i].straight_m >= least_straight_m) continue;
    least_straight_m = bends[i].straight_m;
    worst = {i, (i + 1) % bends.size()};
  }
  return worst;
}

// The two bends where different parts of the road come nearest to each other, if too near.
std::optional<std::pair<size_t, size_t>> BendsThatMeet(std::span<const Bend> bends,
                                                       const RoadLimits& limits) {
  // between samples the road may come nearer by 1 %
  const double pitch_m = 1.01 * limits.pitch_m;
  const double max_step_m = 0.25 * limits.pitch_m;
  const std::vector<BendSample> samples = SampleBends(bends, max_step_m);
  const size_t n = samples.size();

  // within a bend of the tightest radius, half a turn leads this far away; nearer parts of the
  // road are as far apart as their bend allows
  const size_t half_turn = static_cast<size_t>(std::ceil(0.5 * kPi * pitch_m / max_step_m)) + 1;
  std::optional<std::pair<size_t, size_t>> worst;
  double worst_m = pitch_m;
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = i + half_turn; k < std::min(n, i + n - half_turn);) {
      const double distance_m = Length(samples[k].point_m - samples[i].point_m);
      if (distance_m < worst_m) {
        worst_m = distance_m;
        worst = {samples[i].bend, samples[k].bend};
      }
      // the road cannot come near sooner than this
      k += std::max<size_t>(1,
                            static_cast<size_t>(std::max(0.0, distance_m - pitch_m) / max_step_m));
    }
  }
  return worst;
}

double TriangleArea(std::span<const Corner> corners, size_t index) {
  const size_t n = corners.size();
  const Vec2 point_m = corners[index].point_m;
  return std::abs(Cross(corners[(index + n - 1) % n].point_m - point_m,
                        corners[(index + 1) % n].point_m - point_m));
}

// A corner to do without: of the two that are at fault the one that changes the outline less.
std::optional<size_t> FindFault(std::span<const Corner> corners, std::span<const Bend> bends,
                                const RoadLimits& limits) {
  auto fault = BendsWithoutRoom(bends);
  if (!fault) fault = BendsThatMeet(bends, limits);
  if (!fault) return {};
  const auto [a, b] = *fault;
  return TriangleArea(corners, a) < TriangleArea(corners, b) ? a : b;
}

}  // namespace

std::vector<Bend> SoundOutline(std::vector<Corner> corners, const RoadLimits& limits) {
  while (corners.size() >= 3) {
    const std::vector<Bend> bends = ScaleToLength(corners, limits, 1e-4);
    const std::optional<size_t> fault = FindFault(corners, bends, limits);
    if (!fault) return ScaleToLength(corners, limits, 1e-13);
    corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(*fault));
  }
  return {};
}

}  // namespace lapforge::tracks
