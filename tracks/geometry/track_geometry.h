// What all views of one track share, and all queries of one driving direction. Both directions are
// made once by the same code from the rows in driving order, so that a track driven backwards gives
// the same bits as a file with its rows reversed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tracks/geometry/arc_table.h"
#include "tracks/geometry/polyline.h"
#include "tracks/geometry/ring.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// The lines of a track in driving order.
struct DirectedLines {
  DirectedLines(const std::vector<Vec2>& center, const std::vector<Vec2>& left_border,
                const std::vector<Vec2>& right_border, bool is_ring);

  Polyline center;
  Polyline left;
  Polyline right;
  std::vector<double> yaw_rad;  // [segments of center]

  // border segments nearest to the middle of each centerline segment, [segments of center]
  std::vector<int> left_near;
  std::vector<int> right_near;

  ArcTable table;
};

// The road as a polygon: the outer border with the inner one as a hole; on an open track the outer
// points followed by the inner ones backwards.
class Road {
 public:
  Road(const TrackRows& rows, bool is_closed);

  // Strictly inside; a point on a border is not.
  bool Contains(Vec2 point_m) const {
    if (outline_.Locate(point_m) != Side::kInside) return false;
    return holes_.empty() || holes_[0].Locate(point_m) == Side::kOutside;
  }

 private:
  Ring outline_;
  std::vector<Ring> holes_;  // one or none
};

class TrackGeometry {
 public:
  // Needs sanitised rows.
  explicit TrackGeometry(const TrackRows& rows);

  std::string name;
  std::string description;
  bool is_closed = false;
  bool forward_is_counter_clockwise = true;
  bool forward_inner_is_left = true;
  Road road;
  DirectedLines forward;
  DirectedLines backward;

  const DirectedLines& lines(bool is_reversed) const { return is_reversed ? backward : forward; }

  // True at once where the point is well inside the road near that segment of the forward
  // direction, else not known.
  bool IsClearlyOnRoad(Vec2 point_m, int forward_segment) const {
    const Vec2 from_middle = point_m - forward.center.midpoint(forward_segment);
    return Dot(from_middle, from_middle) < clear_radius_sq_m2_[forward_segment];
  }

 private:
  void FindClearRadii();

  // of the disc around a segment's middle that no border enters, 0 where the middle is off the road
  std::vector<double> clear_radius_sq_m2_;  // [segments of forward.center]
};

// True where the first row equals the last one exactly, in all columns.
bool IsClosed(const TrackRows& rows);

// Twice the signed area inside a ring, positive when it runs counter-clockwise.
double TwiceSignedArea(const std::vector<Vec2>& ring);

}  // namespace lapforge::tracks
