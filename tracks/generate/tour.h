// Random polygons that never cross themselves: the shortest way around scattered points.
#pragma once

#include <vector>

#include "sim/base/rng.h"
#include "tracks/generate/corner_path.h"

namespace lapforge::tracks {

// A closed, counter-clockwise, simple polygon through `num_corners` (3 or more) points scattered
// evenly over a region of random outline; about one side length apart. Its scale has no meaning.
std::vector<Corner> RandomTour(int num_corners, RngStream& rng);

}  // namespace lapforge::tracks
