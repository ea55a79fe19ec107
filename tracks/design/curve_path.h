// Paths made of pieces whose curvature changes evenly: straights, arcs and clothoids alike.
#pragma once

#include <span>
#include <vector>

#include "sim/base/math.h"

namespace lapforge::tracks {

struct CurvePiece {
  double length_m = 0;
  double start_curvature_1pm = 0;  // left positive
  double end_curvature_1pm = 0;
  double start_width_m = 0;
  double end_width_m = 0;

  double TurnRad() const { return 0.5 * length_m * (start_curvature_1pm + end_curvature_1pm); }
};

// A place on a path.
struct PathSample {
  Pose2 pose;
  double width_m = 0;
};

// The pose at `to_m` along a piece, given the pose at `from_m`. Accurate to 1e-12 m.
Pose2 Advance(const Pose2& pose, const CurvePiece& piece, double from_m, double to_m);

// Summed length of the pieces.
double PathLength(std::span<const CurvePiece> pieces);

// Where the path ends that begins at the origin, heading along x. The yaw counts whole turns.
Pose2 PathEnd(std::span<const CurvePiece> pieces);

// num_steps + 1 equally spaced samples from the begin of the path to its end.
std::vector<PathSample> SamplePath(std::span<const CurvePiece> pieces, int num_steps);

}  // namespace lapforge::tracks
