#include "tracks/geometry/bounds.h"

#include <algorithm>

namespace lapforge::tracks {

Box BoundsOf(const Track& track) {
  Box box = {track.waypoint(0).center_m, track.waypoint(0).center_m};
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const Waypoint row = track.waypoint(i);
    for (const Vec2 point : {row.center_m, row.left_m, row.right_m}) {
      box.low_m = {std::min(box.low_m.x, point.x), std::min(box.low_m.y, point.y)};
      box.high_m = {std::max(box.high_m.x, point.x), std::max(box.high_m.y, point.y)};
    }
  }
  return box;
}

}  // namespace lapforge::tracks
