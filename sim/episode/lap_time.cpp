#include <cmath>

#include "sim/episode/episode.h"

namespace lapforge::sim {

int64_t CrossingTimeUs(const tracks::Track& track, double line_m, const StepPath& path) {
  constexpr double kUsPerS = 1e6;
  const std::span<const Vec2> points_m = path.front_points_m;
  const Vec2 end_m = track.CenterAt(track.length_m());
  const Vec2 end_direction = DirectionOf(track.TangentYawAt(track.length_m()));
  const auto past_line_m = [&](Vec2 point_m) {
    return track.is_closed() ? track.ArcLengthDelta(line_m, track.Project(point_m).arc_length_m)
                             : Dot(point_m - end_m, end_direction);
  };

  double substeps = static_cast<double>(points_m.size() - 1);
  double before_m = past_line_m(points_m[0]);
  for (size_t i = 1; i < points_m.size(); ++i) {
    const double after_m = past_line_m(points_m[i]);
    if (before_m < 0 && after_m >= 0) {
      substeps = static_cast<double>(i - 1) + before_m / (before_m - after_m);
      break;
    }
    before_m = after_m;
  }
  return std::llround((path.start_s + substeps * path.substep_s) * kUsPerS);
}

}  // namespace lapforge::sim
