// Roads given point by point, as rows.
#pragma once

#include <vector>

#include "sim/base/result.h"
#include "tracks/design/track_design.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// A waypoint whose borders lie at right angles to a direction of unit length.
Waypoint MakeWaypoint(Vec2 center_m, Vec2 direction, double left_m, double right_m);

// The waypoints of a design's points. Where a point does not give its borders, they lie at right
// angles to the line through its neighbours. On a closed road the first point may be repeated at
// the end; the first waypoint always is. Errors begin with "line: ".
Result<std::vector<Waypoint>> WaypointsOf(const TrackDesign& design);

// The columns of a file. The inner border of a closed road is the one that encloses less. Name,
// description and source are left empty.
TrackRows RowsOf(const std::vector<Waypoint>& waypoints, const TrackDesign& design);

}  // namespace lapforge::tracks
