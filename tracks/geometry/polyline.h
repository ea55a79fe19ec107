// A polyline that answers "where am I nearest to" fast and exactly: the centerline and both
// borders.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/math.h"

namespace lapforge::tracks {

// Where a point is nearest to a polyline.
struct NearestPoint {
  int segment = 0;      // from vertex `segment` to the next
  double fraction = 0;  // along that segment, 0 .. 1
  Vec2 point_m;         // on the segment
  double distance_m = 0;
};

// Immutable. A ring repeats its first vertex as its last. Vertices may coincide.
class Polyline {
 public:
  // Set-up time grows with the square of the size, to 0.7 s for a track of this many. Real tracks
  // have 100 to 400.
  static constexpr int kMaxVertices = 5000;

  // Needs two to kMaxVertices vertices, all finite; a ring's last vertex equals the first.
  Polyline(std::span<const Vec2> vertices, bool is_ring);

  int num_segments() const { return num_segments_; }
  double length_m() const { return arc_m_[num_segments_]; }
  Vec2 vertex(int index) const { return vertices_[index]; }
  // Along the polyline up to a vertex.
  double arc_m(int vertex_index) const { return arc_m_[vertex_index]; }
  // Not normalised.
  Vec2 direction(int segment) const { return {dx_[segment], dy_[segment]}; }
  Vec2 midpoint(int segment) const { return Lerp(vertex(segment), vertex(segment + 1), 0.5); }

  // The nearest point over all segments; the first of equally near segments wins.
  NearestPoint Project(Vec2 point_m) const;

  // The same result at any point and for any hint; fast where the hint is near the nearest segment.
  NearestPoint ProjectNear(Vec2 point_m, int hint_segment) const;

 private:
  struct Scan;  // what a search saw so far
  struct Found {
    int segment = 0;
    double distance_sq = 0;
  };
  // Segments around one that can be nearest to points within a known distance of it.
  struct Window {
    uint16_t behind = 0;
    uint16_t ahead = 0;
  };

  // A window is stored for each of these distances from the segment. Beyond the last, which is a
  // car off the road, the search scans everything.
  static constexpr std::array<double, 5> kReach_m = {0.1, 0.2, 0.4, 0.55, 0.9};

  void FindWindows();
  void FindClearances();
  bool AreWithin(int segment, int other_segment, double distance_m) const;
  void PairDistances(int first_segment, Vec2 point_m, double* distance_sq) const;
  double DistanceSquared(int segment, Vec2 point_m) const;
  void ScanRange(Vec2 point_m, int first, int end, Scan& scan) const;
  int WalkDown(Vec2 point_m, int segment) const;
  NearestPoint SearchWindow(Vec2 point_m, int segment) const;
  NearestPoint Finish(Vec2 point_m, const Found& found) const;

  bool is_ring_;
  int num_segments_;
  std::vector<Vec2> vertices_;       // [num_segments + 1]
  std::vector<double> arc_m_;        // [num_segments + 1]
  std::vector<Window> windows_;      // [num_segments, kReach_m]
  std::vector<double> clear_sq_m2_;  // [num_segments, right and left]: squares of ClearanceOf

  // one column per property of a segment, [num_segments] and padding that is never the nearest
  std::vector<double> start_x_, start_y_;
  std::vector<double> end_x_, end_y_;
  std::vector<double> dx_, dy_;        // from start to end
  std::vector<double> inv_length_sq_;  // 1 / (dx^2 + dy^2), 0 where the vertices coincide
};

}  // namespace lapforge::tracks
