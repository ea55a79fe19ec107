// A line along a track, in equal steps of the centerline's arc length: what a driver looks up.
#pragma once

#include <vector>

#include "sim/pure_pursuit.h"
#include "tracks/track.h"

namespace lapforge::sim {

class SampledLine {
 public:
  // The track's centerline, as fast as `options` allow.
  SampledLine(const tracks::Track& track, const PursuitOptions& options);

  // A given line, with its own speeds or as fast as `options` allow.
  static Result<SampledLine> FromLine(const tracks::Track& track, const DrivingLine& line,
                                      const PursuitOptions& options);

  // The line's point beside `arc_length_m` of the centerline, and the speed to have there. Any arc
  // length: a closed line goes on, an open one runs out straight.
  Vec2 PointAt(double arc_length_m) const;
  double SpeedAt(double arc_length_m) const;

 private:
  struct Place {
    size_t index = 0;
    double fraction = 0;  // of the way to the next sample; beyond an open line's end above 1
  };

  explicit SampledLine(const tracks::Track& track);
  Place PlaceOf(double arc_length_m) const;
  size_t num_steps() const { return points_m_.size() - 1; }
  double CurvatureAt(size_t index) const;
  void ChooseSpeeds(const PursuitOptions& options);

  bool is_closed_;
  double spacing_m_;
  std::vector<Vec2> points_m_;  // of a closed line the last repeats the first
  std::vector<double> speeds_mps_;
};

}  // namespace lapforge::sim
