// Makes a road of a polygon: scales it to its length and takes corners away until it has room.
#pragma once

#include <vector>

#include "tracks/generate/corner_path.h"

namespace lapforge::tracks {

// What a road must keep to.
struct RoadLimits {
  double length_m = 0;
  double min_radius_m = 0;  // of the centerline, at least half of pitch_m
  double pitch_m = 0;       // between the centerlines of different parts of the road
};

// The bends of the polygon, scaled such that the road has its length; without the corners that left
// no room for the tightest bends or brought parts of the road too near to each other. Empty where
// three corners would not do either.
std::vector<Bend> SoundOutline(std::vector<Corner> corners, const RoadLimits& limits);

}  // namespace lapforge::tracks
