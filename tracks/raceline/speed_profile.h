// The fastest way to drive a line within the limits of grip, motor and brakes.
#pragma once

#include <vector>

#include "tracks/raceline.h"
#include "tracks/raceline/line_shape.h"

namespace lapforge::tracks {

struct SpeedProfile {
  std::vector<double> speed_mps;   // [size of the line]
  std::vector<double> accel_mps2;  // [size]: constant from a point to the next
  double time_s = 0;
};

// A closed line is driven as a flying lap, an open one from standstill.
SpeedProfile ProfileOf(const LineShape& shape, bool is_closed, const RacelineLimits& limits);

// An acceleration that is to be had at a point, and its derivatives.
struct Pull {
  double accel_mps2 = 0;
  double by_speed_sq = 0;   // m/s2 per m2/s2
  double by_curvature = 0;  // m/s2 per 1/m
};

// What the ellipse of grip leaves for driving or braking, and what the motor has.
Pull GripLeft(const RacelineLimits& limits, double speed_sq, double curvature_1pm);
Pull MotorPull(const RacelineLimits& limits, double speed_sq);

}  // namespace lapforge::tracks
