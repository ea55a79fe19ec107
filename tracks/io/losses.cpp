#include "tracks/io/losses.h"

#include <algorithm>

#include "sim/base/strings.h"
#include "tracks/geometry/polyline.h"

namespace lapforge::tracks {
namespace {

using Points = std::vector<Vec2>;

Points LineOf(const Track& track, Vec2 Waypoint::*member) {
  Points points;
  for (int i = 0; i < track.num_waypoints(); ++i) points.push_back(track.waypoint(i).*member);
  return points;
}

double FarthestFrom(const Points& line, const Points& points) {
  const Polyline polyline(line, false);
  double farthest_m = 0;
  for (const Vec2 point : points) {
    farthest_m = std::max(farthest_m, polyline.Project(point).distance_m);
  }
  return farthest_m;
}

// The largest distance from the vertices of either line to the other line.
double Shift(const Points& a, const Points& b) {
  return std::max(FarthestFrom(a, b), FarthestFrom(b, a));
}

std::string Millimetres(double shift_m) {
  constexpr double kMmPerM = 1000;
  constexpr int kDigits = 3;
  return FormatFixed(shift_m * kMmPerM, kDigits) + " mm";
}

}  // namespace

std::vector<std::string> LossesBetween(const Track& track, const Track& reread) {
  constexpr double kKept_m = 1e-6;
  std::vector<std::string> losses;
  if (track.is_closed() != reread.is_closed()) {
    losses.push_back(track.is_closed() ? "the closed track becomes an open one"
                                       : "the open track becomes a closed one");
  }
  const bool turns = track.is_closed() && reread.is_closed() &&
                     track.is_counter_clockwise() != reread.is_counter_clockwise();
  if (turns) losses.push_back("the driving direction turns round");
  if (track.num_waypoints() != reread.num_waypoints()) {
    losses.push_back(StrCat(track.num_waypoints(), " rows become ", reread.num_waypoints()));
  }

  const Track same_way = turns ? reread.Reversed() : reread;
  const double center_m =
      Shift(LineOf(track, &Waypoint::center_m), LineOf(same_way, &Waypoint::center_m));
  const double border_m =
      std::max(Shift(LineOf(track, &Waypoint::left_m), LineOf(same_way, &Waypoint::left_m)),
               Shift(LineOf(track, &Waypoint::right_m), LineOf(same_way, &Waypoint::right_m)));
  if (center_m > kKept_m) {
    losses.push_back(StrCat("the centerline moves by up to ", Millimetres(center_m)));
  }
  if (border_m > kKept_m) {
    losses.push_back(StrCat("the borders move by up to ", Millimetres(border_m)));
  }
  const Vec2 start_m = track.waypoint(0).center_m;
  const Vec2 new_start_m = reread.waypoint(0).center_m;
  const double start_shift_m = Length(new_start_m - start_m);
  if (start_shift_m > kKept_m + center_m) {
    losses.push_back(StrCat("the start moves by ", FormatFixed(start_shift_m, 2), " m"));
  }
  if (track.inner_is_left() != same_way.inner_is_left()) {
    losses.push_back("the inner and the outer border change their names");
  }
  if (track.description() != reread.description()) losses.push_back("the description is dropped");
  return losses;
}

}  // namespace lapforge::tracks
