// What is painted on the road: centerline, direction, start line, waypoint numbers.
#pragma once

#include "tracks/picture/canvas.h"
#include "tracks/picture/layout.h"

namespace lapforge::tracks {

void DrawRoadMarks(const Track& track, const Layout& layout, bool show_waypoints, Canvas& canvas);

}  // namespace lapforge::tracks
