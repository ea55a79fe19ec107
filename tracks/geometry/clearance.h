// How far a point may be from its segment of a polyline so that only the segments beside that one
// can be nearer.
#pragma once

#include <span>

#include "tracks/geometry/polyline.h"

namespace lapforge::tracks {

enum class LineSide { kLeft, kRight };

// The largest distance found, at most kMaxClearance_m: of every point on this side within it, whose
// distance to `segment` is not above those to the segments before and behind, `segment` or a
// neighbour is nearest of all; the rest are farther by more than rounding. `segment` is neither the
// first nor the last. `others`: the segments within twice kMaxClearance_m, without these three.
double ClearanceOf(const Polyline& line, int segment, LineSide side, std::span<const int> others);

inline constexpr double kMaxClearance_m = 0.9;

}  // namespace lapforge::tracks
