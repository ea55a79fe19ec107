// How near walls can be: a grid that says of most places that none is in reach.
#pragma once

#include <span>
#include <vector>

#include "sim/base/math.h"

namespace lapforge::sim {

// A straight piece of wall standing on the ground.
struct WallSegment {
  Vec2 from_m;
  Vec2 to_m;
};

class WallField {
 public:
  // Distances up to this are told apart.
  static constexpr float kReachM = 1;

  explicit WallField(std::span<const WallSegment> segments);

  // True only where the middle line of every wall is further away than `distance_m` <= kReachM.
  // Sometimes false although it is, by less than two cells. A place that is not finite is free.
  bool IsFree(float x_m, float y_m, float distance_m) const;

 private:
  void AddWall(const WallSegment& segment);

  Vec2 origin_m_;  // the outer corner of cell (0, 0)
  int width_ = 0;
  int height_ = 0;
  std::vector<float> distances_m_;  // [height_, width_] from a cell's middle, at most kReachM
};

}  // namespace lapforge::sim
