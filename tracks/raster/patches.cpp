#include "tracks/raster/patches.h"

#include <algorithm>
#include <cmath>

namespace lapforge::tracks {
namespace {

class PatchList {
 public:
  PatchList(const Track& track, const GroundStyle& style) : track_(track), style_(style) {}

  // As Track::IsOnRoad has it: the outer border with the inner one as a hole.
  void AddRoad() {
    std::vector<Vec2> left_m, right_m;
    for (int i = 0; i < track_.num_waypoints(); ++i) {
      left_m.push_back(track_.waypoint(i).left_m);
      right_m.push_back(track_.waypoint(i).right_m);
    }
    if (track_.is_closed()) {
      if (track_.inner_is_left()) std::swap(left_m, right_m);
      patches_.push_back({Paint::kRoad, std::move(left_m)});
      patches_.push_back({Paint::kField, std::move(right_m)});
    } else {
      left_m.insert(left_m.end(), right_m.rbegin(), right_m.rend());
      patches_.push_back({Paint::kRoad, std::move(left_m)});
    }
  }

  // Whole periods of a dash amid two half gaps, so that a closed lap has no odd one at its seam and
  // the other driving direction gives the same dashes.
  void AddCenterline() {
    if (style_.center_width_m == 0) return;
    const double length_m = track_.length_m();
    const double num_dashes = std::max(1.0, std::round(length_m / (2 * style_.dash_length_m)));
    const double period_m = length_m / num_dashes;
    for (int i = 0; i < num_dashes; ++i) {
      AddDash((i + 0.25) * period_m, (i + 0.75) * period_m);
    }
  }

  // Centered on the start; an open road that begins there begins with the line.
  void AddStart() {
    const double half_m = 0.5 * style_.start_width_m;
    if (half_m == 0) return;
    double arc_m = track_.start_m();
    if (!track_.is_closed()) arc_m = Clamp(arc_m, half_m, std::max(half_m, track_.length_m()));
    // as seen from both sides of a bend in the centerline
    const Vec2 chord = track_.CenterAt(arc_m + half_m) - track_.CenterAt(arc_m - half_m);
    const Vec2 along = chord / Length(chord);
    const Vec2 half_along_m = half_m * along;

    const HalfWidths widths = track_.HalfWidthsAt(arc_m);
    const Vec2 left_m = track_.CenterAt(arc_m) + widths.left_m * LeftNormal(along);
    const Vec2 right_m = track_.CenterAt(arc_m) - widths.right_m * LeftNormal(along);
    patches_.push_back({Paint::kStart,
                        {left_m - half_along_m, left_m + half_along_m, right_m + half_along_m,
                         right_m - half_along_m}});
  }

  void AddBorders() {
    if (style_.border_width_m == 0) return;
    for (int i = 0; i < track_.num_segments(); ++i) {
      const Waypoint from = track_.waypoint(i);
      const Waypoint to = track_.waypoint(i + 1);
      AddBorder(from.left_m, to.left_m);
      AddBorder(from.right_m, to.right_m);
    }
  }

  std::vector<Patch> Take() { return std::move(patches_); }

 private:
  // A strip along the centerline between two arc lengths.
  void AddDash(double from_m, double to_m) {
    std::vector<Vec2> points = {track_.CenterAt(from_m)};
    for (; next_waypoint_ < track_.num_waypoints(); ++next_waypoint_) {
      const double arc_m = track_.waypoint_arc_length_m(next_waypoint_);
      if (arc_m >= to_m) break;
      if (arc_m > from_m) points.push_back(track_.waypoint(next_waypoint_).center_m);
    }
    points.push_back(track_.CenterAt(to_m));

    std::vector<Vec2> left_m, right_m;
    for (size_t k = 0; k < points.size(); ++k) {
      const Vec2 chord = points[std::min(k + 1, points.size() - 1)] - points[k > 0 ? k - 1 : 0];
      const Vec2 side_m = 0.5 * style_.center_width_m / Length(chord) * LeftNormal(chord);
      left_m.push_back(points[k] + side_m);
      right_m.push_back(points[k] - side_m);
    }
    left_m.insert(left_m.end(), right_m.rbegin(), right_m.rend());
    patches_.push_back({Paint::kCenter, std::move(left_m)});
  }

  // All points within the line's width of a piece of the border.
  void AddBorder(Vec2 from_m, Vec2 to_m) {
    constexpr int kArcSteps = 8;  // of half a circle; 2 % of the width is lost between two points
    const Vec2 along = to_m - from_m;
    const double yaw_rad = std::atan2(along.y, along.x);
    std::vector<Vec2> outline_m;
    for (const auto& [end_m, end_yaw_rad] : {std::pair{to_m, yaw_rad}, {from_m, yaw_rad + kPi}}) {
      for (int k = 0; k <= kArcSteps; ++k) {
        const double angle_rad = end_yaw_rad + kPi * (double(k) / kArcSteps - 0.5);
        outline_m.push_back(end_m + style_.border_width_m * DirectionOf(angle_rad));
      }
    }
    patches_.push_back({Paint::kBorder, std::move(outline_m)});
  }

  const Track& track_;
  const GroundStyle& style_;
  std::vector<Patch> patches_;
  int next_waypoint_ = 0;  // of the centerline, behind the dashes so far
};

}  // namespace

std::vector<Patch> GroundPatches(const Track& track, const GroundStyle& style) {
  PatchList patches(track, style);
  patches.AddRoad();
  patches.AddCenterline();
  patches.AddStart();
  patches.AddBorders();
  return patches.Take();
}

}  // namespace lapforge::tracks
