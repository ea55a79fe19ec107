#include "tracks/raceline/road.h"

#include <algorithm>
#include <cmath>

namespace lapforge::tracks {
namespace {

constexpr double kExact_m = 1e-6;
constexpr double kFar_m = 1e3;     // no road is wider
constexpr double kSlack_m = 2e-4;  // covers what samples of a chord miss
// A line may move to its inner side by this share of its radius at a time: further in, neighbouring
// stations would cross.
constexpr double kMaxRadiusShare = 0.6;

std::vector<Vec2> BorderVertices(const Track& track, Vec2 Waypoint::*border) {
  std::vector<Vec2> vertices;
  for (int i = 0; i < track.num_waypoints(); ++i) vertices.push_back(track.waypoint(i).*border);
  return vertices;
}

// The smallest clearance along a chord, to a fraction of a millimetre.
double ChordClearance(const Borders& borders, Vec2 from_m, Vec2 to_m) {
  constexpr int kParts = 8;
  double least_m = borders.Clearance(from_m);
  for (int k = 1; k <= kParts; ++k) {
    least_m = std::min(least_m, borders.Clearance(Lerp(from_m, to_m, double(k) / kParts)));
  }
  return least_m;
}

// Between two points at the distance to keep, a chord passes nearer to a border that bulges into
// the road: brings the bounds of one side in so far that chords along them keep the distance, too.
// `inward` is -1 for the high bounds, 1 for the low ones.
void TightenSide(const Borders& borders, double Station::*bound, double inward,
                 Stations& stations) {
  const int n = stations.size();
  for (int i = 0; i + (stations.is_closed ? 0 : 1) < n; ++i) {
    Station& from = stations.list[i];
    Station& to = stations.list[(i + 1) % n];
    const double missing_m = stations.keep_m + kSlack_m -
                             ChordClearance(borders, from.At(from.*bound), to.At(to.*bound));
    if (missing_m <= 0) continue;
    for (Station* station : {&from, &to}) {
      const double room_m = station->high_m - station->low_m;
      station->*bound += inward * std::min(missing_m, 0.5 * room_m);
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
  SquareStations(const Line& line, const Borders& borders, double keep_m, double step_m)
      : borders_(borders),
        keep_m_(keep_m + kSlack_m),
        line_(Resampled(line, step_m)),
        shape_(ShapeOf(line_)),
        yaw_rad_(YawOf(line_, shape_)) {}

  int size() const { return line_.size(); }

  Station Begin(int i) const { return {line_.points_m[i], LeftNormal(DirectionOf(yaw_rad_[i]))}; }

  // Sets the bounds around offset 0, or around the offset of most room between two others where 0
  // has too little. Returns that offset.
  double Finish(int i, double from_m, double to_m, Station& station) const {
    double start_m = 0;
    if (borders_.Clearance(station.origin_m) < keep_m_) start_m = Roomiest(station, from_m, to_m);
    const Vec2 start = station.At(start_m);
    const double keep_m = std::min(keep_m_, borders_.Clearance(start));
    station.high_m = start_m + borders_.Reach(start, station.across, keep_m, kFar_m);
    station.low_m = start_m - borders_.Reach(start, -station.across, keep_m, kFar_m);

    const double curvature_1pm = shape_.curvature_1pm[i];
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

  const Borders& borders_;
  double keep_m_;
  Line line_;
  LineShape shape_;
  std::vector<double> yaw_rad_;
};

}  // namespace

Borders::Borders(const Track& track)
    : left_(BorderVertices(track, &Waypoint::left_m), track.is_closed()),
      right_(BorderVertices(track, &Waypoint::right_m), track.is_closed()) {}

double Borders::Clearance(Vec2 point_m) const {
  const NearestPoint left = left_.ProjectNear(point_m, left_hint_);
  const NearestPoint right = right_.ProjectNear(point_m, right_hint_);
  left_hint_ = left.segment;
  right_hint_ = right.segment;
  return std::min(left.distance_m, right.distance_m);
}

bool Borders::IsClear(Vec2 from_m, Vec2 to_m, double keep_m) const {
  const Vec2 middle_m = Lerp(from_m, to_m, 0.5);
  const double half_m = 0.5 * Length(to_m - from_m);
  const double clearance_m = Clearance(middle_m);
  if (clearance_m < keep_m) return false;
  // no point of the stretch is nearer to a border than its middle by more than half its length
  if (clearance_m >= keep_m + half_m || half_m < kExact_m) return true;
  return IsClear(from_m, middle_m, keep_m) && IsClear(middle_m, to_m, keep_m);
}

bool Borders::IsClear(const Line& line, double keep_m) const {
  for (int i = 0; i < line.num_segments(); ++i) {
    if (!IsClear(line.points_m[i], line.points_m[line.Next(i)], keep_m)) return false;
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
  const SquareStations square(center, borders, keep_m, step_m);
  for (int i = 0; i < square.size(); ++i) {
    Station station = square.Begin(i);
    const double right_m = borders.Reach(station.origin_m, -station.across, 0, kFar_m);
    const double left_m = borders.Reach(station.origin_m, station.across, 0, kFar_m);
    const double start_m = square.Finish(i, -right_m, left_m, station);
    const double clearance_m = borders.Clearance(station.At(start_m));
    if (clearance_m < keep_m) {
      road.narrow_at_m = track.Project(station.origin_m).arc_length_m;
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
  const SquareStations square(line, borders, keep_m, step_m);
  for (int i = 0; i < square.size(); ++i) {
    Station station = square.Begin(i);
    square.Finish(i, -step_m, step_m, station);
    stations.list.push_back(station);
  }
  Tighten(borders, stations);
  return stations;
}

}  // namespace lapforge::tracks
