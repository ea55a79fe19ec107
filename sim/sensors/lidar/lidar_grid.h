// The borders of a track in a grid of cells, for casting lidar beams.
#pragma once

#include <vector>

#include "sim/base/math.h"
#include "sim/sensors/lidar/lidar_kernel.inl"
#include "tracks/track.h"

namespace lapforge::sim {

class LidarGrid {
 public:
  // Both borders of the track.
  explicit LidarGrid(const tracks::Track& track);

  // Distance from a point (world) along a unit vector to the nearest border, at most
  // `max_range_m`. Exact to some 1e-5 m. Anywhere, also outside the road.
  double Cast(Vec2 from_m, Vec2 direction, double max_range_m) const;

  // For the kernel; positions in it are world minus origin.
  LidarGridView view() const;
  Vec2 origin_m() const { return origin_m_; }
  int num_segments() const { return static_cast<int>(segments_.size()); }

 private:
  Vec2 origin_m_;
  int columns_ = 0;
  int rows_ = 0;
  std::vector<LidarSegment> segments_;
  std::vector<int> cell_begin_;
};

}  // namespace lapforge::sim
