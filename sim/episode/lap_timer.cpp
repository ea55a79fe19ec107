#include <algorithm>

#include "sim/episode/episode.h"

namespace lapforge::sim {
namespace {

// Signed way to the line: negative before it.
double WayPastLine(const tracks::Track& track, double start_arc_length_m, Vec2 point_m) {
  const double arc_length_m = track.Project(point_m).arc_length_m;
  return track.is_closed() ? track.ArcLengthDelta(start_arc_length_m, arc_length_m)
                           : arc_length_m - track.length_m();
}

}  // namespace

double CrossingTimeInStep(const tracks::Track& track, double start_arc_length_m,
                          const FrontPath& path) {
  double before_m = WayPastLine(track, start_arc_length_m, path.points_m[0]);
  for (size_t i = 1; i < path.points_m.size(); ++i) {
    const double after_m = WayPastLine(track, start_arc_length_m, path.points_m[i]);
    if (before_m < 0 && after_m >= 0) {
      const double share = -before_m / (after_m - before_m);
      return (static_cast<double>(i - 1) + share) * path.substep_s;
    }
    before_m = after_m;
  }
  return static_cast<double>(path.points_m.size() - 1) * path.substep_s;
}

}  // namespace lapforge::sim
