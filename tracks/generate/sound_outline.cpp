#include "tracks/generate/sound_outline.h"

#include <algorithm>
#include <optional>

namespace lapforge::tracks {
namespace {

// Scales the corners such that the rounded road has its length within a fraction of it.
std::vector<Bend> ScaleToLength(std::vector<Corner>& corners, const RoadLimits& limits,
                                double tolerance_frac) {
  constexpr int kMaxSteps = 60;
  std::vector<Bend> bends = RoundCorners(corners, limits.min_radius_m);
  for (int step = 0; step < kMaxSteps; ++step) {
    const double ratio = limits.length_m / std::max(PathLength(bends), 0.1 * limits.length_m);
    if (std::abs(ratio - 1) < tolerance_frac) break;
    for (Corner& corner : corners) corner.point_m *= ratio;
    bends = RoundCorners(corners, limits.min_radius_m);
  }
  return bends;
}

// The sharper corner of a side that is too short for its two bends; or a corner that hardly turns.
std::optional<size_t> CornerWithoutRoom(std::span<const Bend> bends) {
  constexpr double kMinTurn_rad = RadFromDeg(6);
  constexpr double kMinStraight_m = 0.01;
  std::optional<size_t> worst;
  for (size_t i = 0; i < bends.size(); ++i) {
    if (std::abs(bends[i].turn_rad) < kMinTurn_rad) return i;
    if (bends[i].straight_m >= kMinStraight_m) continue;
    for (const size_t corner : {i, (i + 1) % bends.size()}) {
      const bool is_sharper =
          !worst || std::abs(bends[corner].turn_rad) > std::abs(bends[*worst].turn_rad);
      if (is_sharper) worst = corner;
    }
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
      k += std::max<size_t>(1, static_cast<size_t>(std::max(0.0, distance_m - pitch_m) / max_step_m));
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

// A corner to do without.
std::optional<size_t> FindFault(std::span<const Corner> corners, std::span<const Bend> bends,
                                const RoadLimits& limits) {
  if (const std::optional<size_t> corner = CornerWithoutRoom(bends)) return corner;
  const auto meeting = BendsThatMeet(bends, limits);
  if (!meeting) return {};
  const auto [a, b] = *meeting;
  return TriangleArea(corners, a) < TriangleArea(corners, b) ? a : b;
}

}  // namespace

std::vector<Bend> SoundOutline(std::vector<Corner> corners, const RoadLimits& limits) {
  while (corners.size() >= 3) {
    ScaleToLength(corners, limits, 1e-2);
    const std::vector<Bend> bends = ScaleToLength(corners, limits, 1e-6);
    const std::optional<size_t> fault = FindFault(corners, bends, limits);
    if (!fault) return bends;
    corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(*fault));
  }
  return {};
}

}  // namespace lapforge::tracks
