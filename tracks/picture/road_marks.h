// What is painted on the road: centerline, direction, start line, waypoint numbers.
#pragma once

#include "tracks/canvas.h"
#include "tracks/track_picture.h"

namespace lapforge::tracks {

void DrawRoadMarks(const Track& track, const MapView& view, bool show_waypoints, Canvas& canvas);

}  // namespace lapforge::tracks
