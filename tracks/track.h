// A race course: immutable geometry and the questions a car asks of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/base/math.h"
#include "sim/base/result.h"

namespace lapforge::tracks {

// One row of a track: the vertex of the centerline and the border vertices beside it.
struct Waypoint {
  Vec2 center_m;
  Vec2 left_m;   // left in the driving direction
  Vec2 right_m;  // right in the driving direction
};

// Where a point lies along the track: its projection on the centerline.
struct TrackPosition {
  int segment_index = 0;    // the centerline segment from waypoint i to i + 1, driving direction
  double arc_length_m = 0;  // along the centerline from waypoint 0 of the driving direction
  double lateral_offset_m = 0;  // signed distance to the centerline, left positive
  Vec2 nearest_center_m;        // the nearest point of the centerline
  double tangent_yaw_rad = 0;   // direction of the segment, in the driving direction
};

// Distances from the centerline to the borders at one place.
struct HalfWidths {
  double left_m = 0;
  double right_m = 0;
};

// The border points nearest to a point of the centerline (spec of DeepRacer's `track_width`).
struct BorderPoints {
  Vec2 left_m;
  Vec2 right_m;
};

// Rows as a file holds them, before any check. `left`/`right` are not known yet: files say inner
// and outer.
struct TrackRows {
  std::string name;
  std::vector<Vec2> center_m;
  std::vector<Vec2> inner_m;
  std::vector<Vec2> outer_m;
  std::string description;
  std::string source;  // what messages call it, such as the file's path; empty: the name
};

class TrackGeometry;   // private: the arrays that all views of one track share
struct DirectedLines;  // private: those of one driving direction

// A track as driven: shared geometry, a driving direction and a start line. Copies are cheap, all
// copies share the arrays; every query is const and safe from any thread. Arc lengths count from
// waypoint 0 of the driving direction and wrap on a closed track.
class Track {
 public:
  // Checks and sanitises rows as DeepRacer does: refuses non-finite numbers, fewer than two
  // distinct rows, columns of unequal length and an inner border around the outer one; drops a row
  // whose centre repeats the previous one. Puts two swapped neighbours in order and logs it.
  static Result<Track> FromRows(const TrackRows& rows);

  // The same track driven the other way, as DeepRacer does it: rows in the opposite order, left and
  // right swap. The start line of a closed track stays where it is; an open one starts at its end.
  Track Reversed() const;
  // The same track with its start line at `arc_length_m` (wrapped on a closed track).
  Track WithStart(double arc_length_m) const;

  const std::string& name() const;
  // One line for lists; empty where the file has none.
  const std::string& description() const;
  bool is_closed() const;
  bool is_reversed() const;
  // Winding of the driving direction; an open track counts as counter-clockwise unless reversed.
  bool is_counter_clockwise() const;
  // True where the file's inner border lies on the left of the driving direction.
  bool inner_is_left() const;
  double length_m() const;
  double start_m() const;

  // Vertices of the centerline; on a closed track the last repeats the first (DeepRacer's list).
  int num_waypoints() const;
  int num_segments() const { return num_waypoints() - 1; }
  Waypoint waypoint(int index) const;
  double waypoint_arc_length_m(int index) const;

  // The nearest point of the centerline, by a scan of all segments; the first of equals wins. A
  // point that is not finite gives some segment, an arc length of the track and an infinite offset.
  TrackPosition Project(Vec2 point_m) const;
  // The same result for any hint: the segment where the point was a moment ago. Searches only those
  // segments that can be nearest: some 20 ns on the road, a scan of all far off it.
  TrackPosition ProjectNear(Vec2 point_m, int hint_segment) const;

  Vec2 CenterAt(double arc_length_m) const;
  double TangentYawAt(double arc_length_m) const;
  // Frenet to world: `lateral_offset_m` to the left of the centerline point.
  Vec2 PointAt(double arc_length_m, double lateral_offset_m) const;
  // Signed curvature of the centerline, left positive, 1/m; the mean over 0.25 m ahead and behind.
  double CurvatureAt(double arc_length_m) const;
  HalfWidths HalfWidthsAt(double arc_length_m) const;
  // Projections of a centerline point on both borders (found near its segment).
  BorderPoints NearestBorders(const TrackPosition& position) const;

  // True when the point is strictly inside the road polygon (a point on a border is outside).
  // `near` is the point's own projection or that of a point within a car's length of it.
  bool IsOnRoad(Vec2 point_m, const TrackPosition& near) const;

  // Wraps an arc length into [0, length) on a closed track, clamps it on an open one. NaN gives 0.
  double WrapArcLength(double arc_length_m) const;
  // Signed way from one arc length to another, the short way round on a closed track.
  double ArcLengthDelta(double from_m, double to_m) const;

 private:
  Track(std::shared_ptr<const TrackGeometry> geometry, bool is_reversed, double start_m);

  std::shared_ptr<const TrackGeometry> geometry_;
  const DirectedLines* lines_;  // of geometry_, in this view's direction
  bool is_reversed_ = false;
  double start_m_ = 0;  // along the driving direction
};

}  // namespace lapforge::tracks
