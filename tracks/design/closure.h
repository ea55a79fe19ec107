// Makes the two ends of a closed design meet.
#pragma once

#include "sim/base/result.h"
#include "tracks/design/curve_path.h"
#include "tracks/design/track_design.h"

namespace lapforge::tracks {

// The pieces of the segments as they are; transitions take their curvatures from their neighbours.
Result<std::vector<CurvePiece>> PiecesOf(const TrackDesign& design);

// Changes the lengths of straights and the angles of arcs that are marked `fit`, as little as
// possible, so that the path returns to its begin and turns once around. What is left open may
// measure up to 0.05 m and 0.5 degrees; beyond, the error states it.
Result<void> FitClosure(TrackDesign& design);

}  // namespace lapforge::tracks
