#include "tracks/raceline/road.h"

#include <algorithm>
#include <cmath>

namespace lapforge::tracks {
namespace {

constexpr double kExact_m = 1e-6;
constexpr double kFar_m = 1e3;      // no road is wider
constexpr double kSlack_m = 1e-5;   // so that rounding does not break what holds
constexpr double kTiny_m = 1e-12;   // points of absurd lines coincide
constexpr double kFarther_m = 1e9;  // than any distance of interest
// A line may move to its inner side by this share of its radius at a time: further in, neighbouring
// stations would cross.
constexpr double kMaxRadiusShare = 0.6;

std::vector<Vec2> BorderVertices(const Track& track, Vec2 Waypoint::*border) {
  std::vector<Vec2> vertices;
  for (int i = 0; i < track.num_waypoints(); ++i) vertices.push_back(track.waypoint(i).*border);
  return vertices;
}

double PointDistance(Vec2 point_m, Vec2 from_m, Vec2 to_m) {
  const Vec2 way_m = to_m - from_m;
  const double length_sq = Dot(way_m, way_m);
  const double fraction = length_sq > 0 ? Dot(point_m - from_m, way_m) / length_sq : 0;
  return Length(point_m - from_m - Clamp(fraction, 0.0, 1.0) * way_m);
}

// -1 where two stretches cross; those that do not are nearest at an end of one of them.
double StretchDistance(Vec2 a, Vec2 b, Vec2 c, Vec2 d) {
  const bool is_crossing = Cross(b - a, c - a) * Cross(b - a, d - a) < 0 &&
                           Cross(d - c, a - c) * Cross(d - c, b - c) < 0;
  if (is_crossing) return -1;
  return std::min({PointDistance(a, c, d), PointDistance(b, c, d), PointDistance(c, a, b),
                   PointDistance(d, a, b)});
}

// Between two points at the distance to keep, a chord passes nearer to a border that bulges into
// the road, or cuts it: brings the bounds of one side in so far that chords along them keep the
// distance, too. `inward` is -1 for the high bounds, 1 for the low ones.
void TightenSide(const Borders& borders, double Station::*bound, double inward,
                 Stations& stations) {
  constexpr int kMaxTries = 50;
  constexpr double kLeastShare = 1.0 / 256;  // of the step, to get out of a border that is cut
  const double keep_m = stations.keep_m + kSlack_m;
  const int n = stations.size();
  for (int i = 0; i + (stations.is_closed ? 0 : 1) < n; ++i) {
    Station& from = stations.list[i];
    Station& to = stations.list[(i + 1) % n];
    for (int k = 0; k < kMaxTries; ++k) {
      const double clearance_m = borders.Clearance(from.At(from.*bound), to.At(to.*bound), keep_m);
      if (clearance_m >= keep_m) break;
      const double move_m =
          std::max(keep_m - std::max(0.0, clearance_m), kLeastShare * stations.step_m);
      for (Station* station : {&from, &to}) {
        const double room_m = station->high_m - station->low_m;
        station->*bound += inward * std::min(move_m, 0.5 * room_m);
      }
    }
  }
}

void Tighten(const Borders& borders, Stations& stations) {
  TightenSide(borders, &Station::high_m, -1, stations);
  TightenSide(borders, &Station::low_m, 1, stations);
}

// Stations square to a line, made in two steps so that the caller says where to look for room.
class SquareStations {
 public:
  // `line` has even points; directions and bends are those of points `reach` apart from each other.
  SquareStations(Line line, const Borders& borders, double keep_m, int reach)
      : borders_(borders), keep_m_(keep_m + kSlack_m), line_(std::move(line)), reach_(reach) {}

  int size() const { return line_.size(); }

  Station Begin(int i) const {
    const Line arc = Arc(i);
    const Vec2 along_m = arc.points_m[2] - arc.points_m[0];
    return {line_.points_m[i], LeftNormal(along_m / std::max(kTiny_m, Length(along_m)))};
  }

  // Sets the bounds around offset 0, or around the offset of most room between two others where 0
  // has too little. Returns that offset.
  double Finish(int i, double from_m, double to_m, Station& station) const {
    double start_m = 0;
    if (borders_.Clearance(station.origin_m) < keep_m_) start_m = Roomiest(station, from_m, to_m);
    const Vec2 start = station.At(start_m);
    const double keep_m = std::min(keep_m_, borders_.Clearance(start));
    station.high_m = start_m + borders_.Reach(start, station.across, keep_m, kFar_m);
    station.low_m = start_m - borders_.Reach(start, -station.across, keep_m, kFar_m);

    const double curvature_1pm = ShapeOf(Arc(i)).curvature_1pm[1];
    const double share_m = kMaxRadiusShare / std::max(1e-9, std::abs(curvature_1pm));
    if (curvature_1pm > 0) station.high_m = std::max(start_m, std::min(station.high_m, share_m));
    if (curvature_1pm < 0) station.low_m = std::min(start_m, std::max(station.low_m, -share_m));
    return start_m;
  }

 private:
  double Roomiest(const Station& station, double from_m, double to_m) const {
    constexpr int kTries = 24;
    double best_m = 0;
    double best_clearance_m = borders_.Clearance(station.origin_m);
    for (int k = 0; k <= kTries; ++k) {
      const double offset_m = Lerp(from_m, to_m, double(k) / kTries);
      const double clearance_m = borders_.Clearance(station.At(offset_m));
      if (clearance_m <= best_clearance_m) continue;
      best_m = offset_m;
      best_clearance_m = clearance_m;
    }
    return best_m;
  }

  // A point between those `reach_` before and behind it, or the ends.
  Line Arc(int i) const {
    const int n = line_.size();
    const int before = line_.is_closed ? (i + n - reach_ % n) % n : std::max(0, i - reach_);
    const int behind = line_.is_closed ? (i + reach_) % n : std::min(n - 1, i + reach_);
    return {{line_.points_m[before], line_.points_m[i], line_.points_m[behind]}, false};
  }

  const Borders& borders_;
  double keep_m_;
  Line line_;
  int reach_;
};

}  // namespace

Borders::Borders(const Track& track)
    : left_(BorderVertices(track, &Waypoint::left_m), track.is_closed()),
      right_(BorderVertices(track, &Waypoint::right_m), track.is_closed()) {
  for (const Polyline* border : {&left_, &right_}) {
    for (int i = 0; i < border->num_segments(); ++i) {
      stretches_.push_back({border->vertex(i), border->vertex(i + 1), border->midpoint(i),
                            0.5 * Length(border->direction(i))});
    }
  }
}

double Borders::Clearance(Vec2 point_m) const {
  const NearestPoint left = left_.ProjectNear(point_m, left_hint_);
  const NearestPoint right = right_.ProjectNear(point_m, right_hint_);
  left_hint_ = left.segment;
  right_hint_ = right.segment;
  return std::min(left.distance_m, right.distance_m);
}

double Borders::Clearance(Vec2 from_m, Vec2 to_m, double enough_m) const {
  const Vec2 middle_m = Lerp(from_m, to_m, 0.5);
  const double reach_m = 0.5 * Length(to_m - from_m) + enough_m;
  double least_m = kFarther_m;
  for (const Stretch& stretch : stretches_) {
    const Vec2 apart_m = stretch.middle_m - middle_m;
    const double near_m = reach_m + stretch.radius_m;
    if (Dot(apart_m, apart_m) > near_m * near_m) continue;
    least_m = std::min(least_m, StretchDistance(from_m, to_m, stretch.from_m, stretch.to_m));
  }
  return least_m <= enough_m ? least_m : kFarther_m;
}

bool Borders::IsClear(const Line& line, double keep_m) const {
  for (int i = 0; i < line.num_segments(); ++i) {
    if (Clearance(line.points_m[i], line.points_m[line.Next(i)], keep_m) < keep_m) return false;
  }
  return true;
}

double Borders::Reach(Vec2 from_m, Vec2 direction, double keep_m, double max_m) const {
  // a step as long as the room around cannot pass a border
  double reach_m = 0;
  for (int step = 0; step < 100 && reach_m < max_m; ++step) {
    const double room_m = Clearance(from_m + reach_m * direction) - keep_m;
    if (room_m < kExact_m) break;
    reach_m += room_m - 0.5 * kExact_m;
  }
  return std::min(reach_m, max_m);
}

Line Stations::LineOf(const std::vector<double>& offsets_m) const {
  Line line;
  line.is_closed = is_closed;
  for (int i = 0; i < size(); ++i) line.points_m.push_back(list[i].At(offsets_m[i]));
  return line;
}

std::vector<Vec2> Stations::Directions() const {
  std::vector<Vec2> directions;
  for (const Station& station : list) directions.push_back(station.across);
  return directions;
}

RoadStations AcrossRoad(const Track& track, const Borders& borders, double keep_m, double step_m) {
  Line center;
  center.is_closed = track.is_closed();
  const int num_points = track.is_closed() ? track.num_segments() : track.num_waypoints();
  for (int i = 0; i < num_points; ++i) center.points_m.push_back(track.waypoint(i).center_m);

  RoadStations road;
  road.stations = {{}, track.is_closed(), keep_m, step_m};
  // rows may be few, with corners between, or jitter: directions are those over a road's width
  constexpr int kReach = 6;
  const SquareStations square(Resampled(center, step_m, Joined::kStraight), borders, keep_m,
                              kReach);
  for (int i = 0; i < square.size(); ++i) {
    Station station = square.Begin(i);
    const double right_m = borders.Reach(station.origin_m, -station.across, 0, kFar_m);
    const double left_m = borders.Reach(station.origin_m, station.across, 0, kFar_m);
    const double start_m = square.Finish(i, -right_m, left_m, station);
    // the ends of an open road are its border
    const TrackPosition position = track.Project(station.At(start_m));
    const bool is_end = !track.is_closed() && (i == 0 || i + 1 == square.size());
    const bool is_on_road = is_end || track.IsOnRoad(station.At(start_m), position);
    const double clearance_m = is_on_road ? borders.Clearance(station.At(start_m)) : 0;
    if (!is_on_road || clearance_m < keep_m) {
      road.narrow_at_m = position.arc_length_m;
      road.room_m = 2 * clearance_m;
      return road;
    }
    road.stations.list.push_back(station);
    road.start_m.push_back(start_m);
  }
  Tighten(borders, road.stations);
  return road;
}

Stations AcrossLine(const Line& line, const Borders& borders, double keep_m, double step_m) {
  Stations stations{{}, line.is_closed, keep_m, step_m};
  const SquareStations square(Resampled(line, step_m, Joined::kSmooth), borders, keep_m, 1);
  for (int i = 0; i < square.size(); ++i) {
    Station station = square.Begin(i);
    square.Finish(i, -step_m, step_m, station);
    stations.list.push_back(station);
  }
  Tighten(borders, stations);
  return stations;
}

}  // namespace lapforge::tracks
