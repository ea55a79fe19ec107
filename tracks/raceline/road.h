// Where a line may run: how far borders are from points and stretches, and stations across the road
// on which the points of a line move.
#pragma once

#include <optional>
#include <vector>

#include "tracks/geometry/polyline.h"
#include "tracks/raceline/line_shape.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// Both borders of a track, wherever they run: those of a neighbouring stretch keep a line away like
// the ones beside it.
class Borders {
 public:
  explicit Borders(const Track& track);

  // Distance to the nearest border.
  double Clearance(Vec2 point_m) const;
  // The least distance of a straight stretch to the borders; 1e9 where it is above `enough_m`,
  // -1 where it crosses one.
  double Clearance(Vec2 from_m, Vec2 to_m, double enough_m) const;
  // True where no point of the stretches of a line is nearer to a border than `keep_m`.
  bool IsClear(const Line& line, double keep_m) const;
  // How far one may go in a direction (a unit vector), at most `max_m`, such that the clearance
  // stays `keep_m`. Needs to begin with it.
  double Reach(Vec2 from_m, Vec2 direction, double keep_m, double max_m) const;

 private:
  // A straight stretch of a border, and the circle around it.
  struct Stretch {
    Vec2 from_m, to_m, middle_m;
    double radius_m;
  };

  Polyline left_;
  Polyline right_;
  std::vector<Stretch> stretches_;  // of both
  mutable int left_hint_ = 0;       // segments of the answer before; they never change an answer
  mutable int right_hint_ = 0;
};

// A place across the road: points `origin + offset * across`.
struct Station {
  Vec2 origin_m;
  Vec2 across;  // unit vector, to the left
  double low_m = 0;
  double high_m = 0;

  Vec2 At(double offset_m) const { return origin_m + offset_m * across; }
};

// Stations in driving order, for a car whose middle keeps `keep_m` away from the borders; a line
// along the bounds does so between the stations, too.
struct Stations {
  std::vector<Station> list;
  bool is_closed = false;
  double keep_m = 0;
  double step_m = 0;

  int size() const { return static_cast<int>(list.size()); }
  Line LineOf(const std::vector<double>& offsets_m) const;
  std::vector<Vec2> Directions() const;
};

// Square to the centerline, and the offsets to begin with: 0 where there is enough room, else where
// there is most.
struct RoadStations {
  Stations stations;
  std::vector<double> start_m;        // [stations]
  std::optional<double> narrow_at_m;  // the arc length where the road is too narrow, if it is
  double room_m = 0;                  // there: twice the best clearance
};
RoadStations AcrossRoad(const Track& track, const Borders& borders, double keep_m, double step_m);

// Square to a line that keeps clear of the borders, which becomes offset 0 of the new stations.
Stations AcrossLine(const Line& line, const Borders& borders, double keep_m, double step_m);

}  // namespace lapforge::tracks
