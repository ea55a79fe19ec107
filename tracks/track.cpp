#include "tracks/track.h"

#include <cmath>

#include "sim/base/assert.h"
#include "tracks/geometry/sanitize_rows.h"
#include "tracks/geometry/track_geometry.h"

namespace lapforge::tracks {
namespace {

TrackPosition PositionOf(const DirectedLines& lines, Vec2 point_m, const NearestPoint& nearest) {
  const int i = nearest.segment;
  const double from_m = lines.center.arc_m(i);
  const double to_m = lines.center.arc_m(i + 1);

  TrackPosition position;
  position.segment_index = i;
  position.arc_length_m = nearest.fraction < 1 ? from_m + nearest.fraction * (to_m - from_m) : to_m;
  position.lateral_offset_m = std::copysign(
      nearest.distance_m, Cross(lines.center.direction(i), point_m - lines.center.vertex(i)));
  position.nearest_center_m = nearest.point_m;
  position.tangent_yaw_rad = lines.yaw_rad[i];
  return position;
}

}  // namespace

Track::Track(std::shared_ptr<const TrackGeometry> geometry, bool is_reversed, double start_m)
    : geometry_(std::move(geometry)),
      lines_(&geometry_->lines(is_reversed)),
      is_reversed_(is_reversed),
      start_m_(start_m) {}

Result<Track> Track::FromRows(const TrackRows& rows) {
  LAPFORGE_TRY(const TrackRows checked, SanitizeRows(rows));
  return Track(std::make_shared<const TrackGeometry>(checked), false, 0);
}

Track Track::Reversed() const {
  const double start_m = is_closed() ? WrapArcLength(length_m() - start_m_) : 0;
  return Track(geometry_, !is_reversed_, start_m);
}

Track Track::WithStart(double arc_length_m) const {
  return Track(geometry_, is_reversed_, WrapArcLength(arc_length_m));
}

const std::string& Track::name() const { return geometry_->name; }
const std::string& Track::description() const { return geometry_->description; }
bool Track::is_closed() const { return geometry_->is_closed; }
bool Track::is_reversed() const { return is_reversed_; }

bool Track::is_counter_clockwise() const {
  return geometry_->forward_is_counter_clockwise != is_reversed_;
}

bool Track::inner_is_left() const { return geometry_->forward_inner_is_left != is_reversed_; }

double Track::length_m() const { return lines_->center.length_m(); }
double Track::start_m() const { return start_m_; }
int Track::num_waypoints() const { return lines_->center.num_segments() + 1; }

Waypoint Track::waypoint(int index) const {
  return {lines_->center.vertex(index), lines_->left.vertex(index), lines_->right.vertex(index)};
}

double Track::waypoint_arc_length_m(int index) const { return lines_->center.arc_m(index); }

TrackPosition Track::Project(Vec2 point_m) const {
  return PositionOf(*lines_, point_m, lines_->center.Project(point_m));
}

TrackPosition Track::ProjectNear(Vec2 point_m, int hint_segment) const {
  return PositionOf(*lines_, point_m, lines_->center.ProjectNear(point_m, hint_segment));
}

Vec2 Track::CenterAt(double arc_length_m) const { return PointAt(arc_length_m, 0); }

double Track::TangentYawAt(double arc_length_m) const {
  return lines_->yaw_rad[lines_->table.SegmentAt(lines_->center, WrapArcLength(arc_length_m))];
}

Vec2 Track::PointAt(double arc_length_m, double lateral_offset_m) const {
  const double arc_m = WrapArcLength(arc_length_m);
  const Polyline& center = lines_->center;
  const int i = lines_->table.SegmentAt(center, arc_m);
  const double segment_length_m = center.arc_m(i + 1) - center.arc_m(i);
  const Vec2 along = center.direction(i) / segment_length_m;
  return center.vertex(i) + (arc_m - center.arc_m(i)) * along +
         lateral_offset_m * LeftNormal(along);
}

double Track::CurvatureAt(double arc_length_m) const {
  return lines_->table.CurvatureAt(WrapArcLength(arc_length_m));
}

HalfWidths Track::HalfWidthsAt(double arc_length_m) const {
  return lines_->table.HalfWidthsAt(WrapArcLength(arc_length_m));
}

BorderPoints Track::NearestBorders(const TrackPosition& position) const {
  const Vec2 center_m = position.nearest_center_m;
  const int i = position.segment_index;
  return {lines_->left.ProjectNear(center_m, lines_->left_near[i]).point_m,
          lines_->right.ProjectNear(center_m, lines_->right_near[i]).point_m};
}

bool Track::IsOnRoad(Vec2 point_m, const TrackPosition& near) const {
  const int i = near.segment_index;
  const int forward_segment = is_reversed_ ? num_segments() - 1 - i : i;
  return geometry_->IsClearlyOnRoad(point_m, forward_segment) || geometry_->road.Contains(point_m);
}

double Track::WrapArcLength(double arc_length_m) const {
  const double length = length_m();
  if (arc_length_m >= 0 && arc_length_m < length) return arc_length_m;
  // comparisons such that NaN becomes 0
  if (!is_closed()) return arc_length_m > 0 ? length : 0;
  const double wrapped = arc_length_m - length * std::floor(arc_length_m / length);
  return wrapped >= 0 && wrapped < length ? wrapped : 0;
}

double Track::ArcLengthDelta(double from_m, double to_m) const {
  const double delta_m = to_m - from_m;
  if (!is_closed() || std::abs(delta_m) <= 0.5 * length_m()) return delta_m;
  return delta_m - length_m() * std::round(delta_m / length_m());
}

}  // namespace lapforge::tracks
