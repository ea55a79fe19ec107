// The order of the search: from the roomiest line over the least bent to the fastest.
#include "tracks/raceline.h"

#include <algorithm>
#include <cmath>

#include "tracks/raceline/line_search.h"
#include "tracks/raceline/road.h"
#include "tracks/raceline/speed_profile.h"

namespace lapforge::tracks {
namespace {

constexpr double kStepsPerWidth = 12;  // of the road: bends as tight as it are drawn by 37 points
constexpr double kMaxSteps = 2000;     // bounds the time for long tracks

double MeanWidth(const Track& track) {
  double sum_m = 0;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    sum_m += Length(track.waypoint(i).left_m - track.waypoint(i).right_m);
  }
  return sum_m / track.num_waypoints();
}

Raceline Drive(const Track& track, const Line& line, const RacelineLimits& limits) {
  const LineShape shape = ShapeOf(line);
  const std::vector<double> yaw_rad = YawOf(line, shape);
  const SpeedProfile profile = ProfileOf(shape, line.is_closed, limits);
  Raceline raceline;
  raceline.is_closed = line.is_closed;
  raceline.lap_time_s = profile.time_s;
  int hint = 0;
  for (int i = 0; i < line.size(); ++i) {
    const TrackPosition position = track.ProjectNear(line.points_m[i], hint);
    hint = position.segment_index;
    raceline.points.push_back({raceline.length_m, line.points_m[i], yaw_rad[i],
                               shape.curvature_1pm[i], profile.speed_mps[i], profile.accel_mps2[i],
                               position.arc_length_m, position.lateral_offset_m});
    if (i < line.num_segments()) raceline.length_m += shape.length_m[i];
  }
  return raceline;
}

// What all searches begin with.
struct Course {
  Borders borders;
  double keep_m;
  double step_m;
  Stations stations;
  std::vector<double> start_m;  // offsets
};

Result<Course> FindCourse(const Track& track, const RacelineLimits& limits) {
  LAPFORGE_CHECK_OK(Validate(limits));
  const double step_m =
      std::max(MeanWidth(track) / kStepsPerWidth, track.length_m() / kMaxSteps);
  Course course{Borders(track), limits.KeepDistance(), step_m, {}, {}};
  RoadStations road = AcrossRoad(track, course.borders, course.keep_m, step_m);
  if (road.narrow_at_m) {
    return ErrorOf(track.name(), ": ", FormatFixed(*road.narrow_at_m, 2), " m along, the road is ",
                   FormatFixed(road.room_m, 3), " m wide; a car of ",
                   FormatFixed(limits.car_width_m, 3), " m with margins of ",
                   FormatFixed(limits.margin_m, 3), " m needs ",
                   FormatFixed(2 * course.keep_m, 3), " m");
  }
  course.stations = std::move(road.stations);
  course.start_m = std::move(road.start_m);
  return course;
}

}  // namespace

Result<Raceline> ComputeRaceline(const Track& track, const RacelineLimits& limits) {
  LAPFORGE_TRY(const Course course, FindCourse(track, limits));
  LineWeights least_bent;
  least_bent.bend_m3 = 1; least_bent.max_curvature_1pm = limits.max_curvature_1pm;
  std::vector<double> offsets_m = LightestLine(course.stations, course.borders, least_bent, course.start_m);
  Line line = course.stations.LineOf(offsets_m);
  Raceline best = Drive(track, line, limits);
  const char* debug = getenv("RL_DEBUG");
  if (debug) printf("  stage A: %d stations, %.4f s clear %d\n", course.stations.size(), best.lap_time_s, course.borders.IsClear(line, course.keep_m));
  for (int round = 0; round < 3; ++round) {
    const Stations stations = AcrossLine(line, course.borders, course.keep_m, course.step_m);
    std::vector<double> o(stations.size(), 0.0);
    if (debug) printf("  restation %.4f\n", Drive(track, stations.LineOf(o), limits).lap_time_s);
    if (round == 0) {
      o = LightestLine(stations, course.borders, least_bent, o);
      if (debug) printf("  mincurv %.4f\n", Drive(track, stations.LineOf(o), limits).lap_time_s);
    }
    o = FastestLine(stations, course.borders, limits, o);
    line = stations.LineOf(o);
    Raceline r = Drive(track, line, limits);
    if (debug) printf("  round %d: %.4f s clear %d\n", round, r.lap_time_s, course.borders.IsClear(line, course.keep_m));
    if (r.lap_time_s < best.lap_time_s) best = r;
  }
  return best;
}

Result<Raceline> ComputeShortestPath(const Track& track, const RacelineLimits& limits) {
  LAPFORGE_TRY(const Course course, FindCourse(track, limits));
  LineWeights shortest;
  shortest.length = 1;
  shortest.bend_m3 = 0.25 * course.step_m * course.step_m;
  std::vector<double> offsets_m =
      LightestLine(course.stations, course.borders, shortest, course.start_m);
  return Drive(track, course.stations.LineOf(offsets_m), limits);
}

Result<Raceline> ComputeCenterline(const Track& track, const RacelineLimits& limits) {
  LAPFORGE_TRY(const Course course, FindCourse(track, limits));
  LineWeights close;
  close.closeness_1pm2 = 1;
  close.bend_m3 = std::pow(0.2 * MeanWidth(track), 4);
  for (int i = 0; i < course.stations.size(); ++i) {
    close.wanted_m.push_back(0.0);
  }
  std::vector<double> offsets_m =
      LightestLine(course.stations, course.borders, close, course.start_m);
  return Drive(track, course.stations.LineOf(offsets_m), limits);
}

double RacelineLimits::MotorAccel(double speed_mps) const {
  if (speed_mps <= motor.front().speed_mps) return motor.front().accel_mps2;
  if (speed_mps >= TopSpeed()) return 0;
  const auto above = std::upper_bound(motor.begin(), motor.end(), speed_mps,
                                      [](double speed, const MotorPoint& point) { return speed < point.speed_mps; });
  const MotorPoint& from = above[-1];
  return Lerp(from.accel_mps2, above->accel_mps2, (speed_mps - from.speed_mps) / (above->speed_mps - from.speed_mps));
}

Result<void> Validate(const RacelineLimits&) { return {}; }

}  // namespace lapforge::tracks
