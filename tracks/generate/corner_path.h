// Closed paths given by their corners: straights, and bends whose curvature rises and falls evenly.
#pragma once

#include <span>
#include <vector>

#include "tracks/design/curve_path.h"

namespace lapforge::tracks {

// A corner of the polygon that a road rounds off.
struct Corner {
  Vec2 point_m;
  double width_frac = 1;  // from 0, the tightest bend allowed, to 1, the widest there is room for
};

// How a corner is rounded: a clothoid, an arc, and the same clothoid backwards; then a straight.
struct Bend {
  double turn_rad = 0;      // left positive
  double radius_m = 0;      // of the arc
  double transition_m = 0;  // length of each clothoid
  double arc_rad = 0;       // left positive
  double straight_m = 0;    // from the end of this bend to the begin of the next one

  // The bend without its straight.
  double Length() const { return 2 * transition_m + radius_m * std::abs(arc_rad); }
};

// The bends of a closed polygon with at least three corners, in its order. Where two of the
// tightest bends do not fit on their side, its straight is negative; else each straight is positive
// and the longest side keeps a third for it.
std::vector<Bend> RoundCorners(std::span<const Corner> corners, double min_radius_m);

// Summed length of bends and straights.
double PathLength(std::span<const Bend> bends);

// The place of a sample on a path, and the bend that it belongs to or is nearest to.
struct BendSample {
  Vec2 point_m;
  size_t bend = 0;
};

// Samples at most `max_step_m` apart, once around. Needs straights that are not negative.
std::vector<BendSample> SampleBends(std::span<const Bend> bends, double max_step_m);

}  // namespace lapforge::tracks
