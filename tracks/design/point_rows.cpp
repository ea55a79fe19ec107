#include "tracks/design/point_rows.h"

#include <cmath>

#include "tracks/geometry/closing.h"
#include "tracks/geometry/polyline.h"
#include "tracks/geometry/track_geometry.h"

namespace lapforge::tracks {
namespace {

// The first to last point of the road as written, without a repeated first one.
std::vector<DesignPoint> DistinctPoints(const TrackDesign& design) {
  std::vector<DesignPoint> points = design.points;
  std::vector<Vec2> centers_m;
  for (const DesignPoint& point : points) centers_m.push_back(point.center_m);
  if (!design.is_open && EndsOf(centers_m) == Ends::kRepeat) points.pop_back();
  return points;
}

}  // namespace

Waypoint MakeWaypoint(Vec2 center_m, Vec2 direction, double left_m, double right_m) {
  const Vec2 left = LeftNormal(direction);
  return {center_m, center_m + left_m * left, center_m - right_m * left};
}

Result<std::vector<Waypoint>> WaypointsOf(const TrackDesign& design) {
  const std::vector<DesignPoint> points = DistinctPoints(design);
  const size_t num_points = points.size();
  const size_t min_points = design.is_open ? 2 : 3;
  if (num_points < min_points || num_points >= Polyline::kMaxVertices) {
    return ErrorOf(design.points.back().line, ": ", num_points, " different points; expected ",
                   min_points, " .. ", Polyline::kMaxVertices - 1);
  }
  std::vector<Waypoint> waypoints;
  for (size_t i = 0; i < num_points; ++i) {
    const DesignPoint& point = points[i];
    if (point.borders_m) {
      waypoints.push_back({point.center_m, point.borders_m->left_m, point.borders_m->right_m});
      continue;
    }
    const bool is_first = i == 0, is_last = i + 1 == num_points;
    const DesignPoint& before =
        is_first ? points[design.is_open ? 0 : num_points - 1] : points[i - 1];
    const DesignPoint& after = is_last ? points[design.is_open ? i : 0] : points[i + 1];
    const Vec2 along = after.center_m - before.center_m;
    if (!(Length(along) > 0)) {
      return ErrorOf(point.line, ": the points around this one coincide, so it has no direction");
    }
    waypoints.push_back(
        MakeWaypoint(point.center_m, along / Length(along), point.left_m, point.right_m));
  }
  if (!design.is_open) waypoints.push_back(waypoints.front());
  return waypoints;
}

TrackRows RowsOf(const std::vector<Waypoint>& waypoints, const TrackDesign& design) {
  std::vector<Vec2> center_m, left_m, right_m;
  for (const Waypoint& waypoint : waypoints) {
    center_m.push_back(waypoint.center_m);
    left_m.push_back(waypoint.left_m);
    right_m.push_back(waypoint.right_m);
  }
  const bool inner_is_left =
      design.is_open ? !design.inner_is_right
                     : std::abs(TwiceSignedArea(left_m)) < std::abs(TwiceSignedArea(right_m));
  TrackRows rows;
  rows.center_m = std::move(center_m);
  rows.inner_m = inner_is_left ? std::move(left_m) : right_m;
  rows.outer_m = inner_is_left ? std::move(right_m) : std::move(left_m);
  return rows;
}

}  // namespace lapforge::tracks
