#include "tracks/geometry/track_geometry.h"

#include <algorithm>
#include <array>

namespace lapforge::tracks {
namespace {

// The outer ring of a closed track; the outline of an open one.
std::vector<Vec2> OutlineOf(const TrackRows& rows, bool is_closed) {
  std::vector<Vec2> outline = rows.outer_m;
  if (!is_closed) outline.insert(outline.end(), rows.inner_m.rbegin(), rows.inner_m.rend());
  return outline;
}

// Summed over the rows, because a row alone may be odd where the inner border crosses the center.
bool InnerIsLeft(const TrackRows& rows) {
  double sum = 0;
  for (size_t i = 0; i + 1 < rows.center_m.size(); ++i) {
    sum += Cross(rows.center_m[i + 1] - rows.center_m[i], rows.inner_m[i] - rows.outer_m[i]);
  }
  return sum > 0;
}

DirectedLines MakeLines(const TrackRows& rows, bool is_closed, bool inner_is_left) {
  return inner_is_left ? DirectedLines(rows.center_m, rows.inner_m, rows.outer_m, is_closed)
                       : DirectedLines(rows.center_m, rows.outer_m, rows.inner_m, is_closed);
}

TrackRows ReversedRows(TrackRows rows) {
  for (std::vector<Vec2>* column : {&rows.center_m, &rows.inner_m, &rows.outer_m}) {
    std::reverse(column->begin(), column->end());
  }
  return rows;
}

}  // namespace

bool IsClosed(const TrackRows& rows) {
  return rows.center_m.front() == rows.center_m.back() &&
         rows.inner_m.front() == rows.inner_m.back() && rows.outer_m.front() == rows.outer_m.back();
}

double TwiceSignedArea(const std::vector<Vec2>& ring) {
  double sum = 0;
  for (size_t i = 0; i + 1 < ring.size(); ++i) {
    sum += Cross(ring[i] - ring[0], ring[i + 1] - ring[0]);
  }
  return sum;
}

DirectedLines::DirectedLines(const std::vector<Vec2>& center_m, const std::vector<Vec2>& left_m,
                             const std::vector<Vec2>& right_m, bool is_ring)
    : center(center_m, is_ring),
      left(left_m, is_ring),
      right(right_m, is_ring),
      table(center, is_ring) {
  for (int i = 0; i < center.num_segments(); ++i) {
    const Vec2 direction = center.direction(i);
    yaw_rad.push_back(WrapAngle(std::atan2(direction.y, direction.x)));
    left_near.push_back(left.Project(center.midpoint(i)).segment);
    right_near.push_back(right.Project(center.midpoint(i)).segment);
  }
  for (int k = 0; k < table.num_samples(); ++k) {
    const double arc_m = std::min(table.SampleArc(k), center.length_m());
    const int i = table.SegmentAt(center, arc_m);
    const double fraction = (arc_m - center.arc_m(i)) / (center.arc_m(i + 1) - center.arc_m(i));
    const Vec2 point_m = Lerp(center.vertex(i), center.vertex(i + 1), fraction);
    table.SetHalfWidths(k, {left.ProjectNear(point_m, left_near[i]).distance_m,
                            right.ProjectNear(point_m, right_near[i]).distance_m});
  }
}

Road::Road(const TrackRows& rows, bool is_closed) : outline_(OutlineOf(rows, is_closed)) {
  if (is_closed) holes_.emplace_back(rows.inner_m);
}

TrackGeometry::TrackGeometry(const TrackRows& rows)
    : name(rows.name),
      description(rows.description),
      is_closed(IsClosed(rows)),
      forward_is_counter_clockwise(!is_closed || TwiceSignedArea(rows.center_m) > 0),
      forward_inner_is_left(InnerIsLeft(rows)),
      road(rows, is_closed),
      forward(MakeLines(rows, is_closed, forward_inner_is_left)),
      backward(MakeLines(ReversedRows(rows), is_closed, !forward_inner_is_left)) {
  FindClearRadii();
}

void TrackGeometry::FindClearRadii() {
  // an open road also ends at its first and last row
  std::vector<Polyline> ends;
  if (!is_closed) {
    for (const int row : {0, forward.center.num_segments()}) {
      ends.emplace_back(std::array{forward.left.vertex(row), forward.right.vertex(row)}, false);
    }
  }
  for (int i = 0; i < forward.center.num_segments(); ++i) {
    const Vec2 middle_m = forward.center.midpoint(i);
    double radius_m = 0;
    if (road.Contains(middle_m)) {
      radius_m = std::min(forward.left.ProjectNear(middle_m, forward.left_near[i]).distance_m,
                          forward.right.ProjectNear(middle_m, forward.right_near[i]).distance_m);
    }
    for (const Polyline& end : ends) {
      radius_m = std::min(radius_m, end.Project(middle_m).distance_m);
    }
    // a hair less, so that rounding cannot move a point over the border
    const double safe_radius_m = std::max(0.0, radius_m - 1e-9);
    clear_radius_sq_m2_.push_back(safe_radius_m * safe_radius_m);
  }
}

}  // namespace lapforge::tracks
