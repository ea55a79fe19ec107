// The order of the search: from the middle of the road over the least bent line to the fastest.
#include "tracks/raceline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tracks/raceline/line_search.h"
#include "tracks/raceline/road.h"
#include "tracks/raceline/speed_profile.h"

namespace lapforge::tracks {
namespace {

constexpr double kStepsPerWidth = 12;  // of the road: its bends are hardly tighter than it is wide
constexpr double kMaxSteps = 4000;     // bounds the time for long tracks
constexpr int kMaxRounds = 6;
constexpr double kEnough = 1e-4;  // stop when a round gains less, relative

double MeanWidth(const Track& track) {
  double sum_m = 0;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    sum_m += Length(track.waypoint(i).left_m - track.waypoint(i).right_m);
  }
  return sum_m / track.num_waypoints();
}

double TimeOf(const Line& line, const RacelineLimits& limits) {
  return ProfileOf(ShapeOf(line), line.is_closed, limits).time_s;
}

Raceline Drive(const Track& track, const Line& line, const RacelineLimits& limits) {
  const LineShape shape = ShapeOf(line);
  const std::vector<double> yaw_rad = YawOf(line, shape);
  const SpeedProfile profile = ProfileOf(shape, line.is_closed, limits);
  Raceline raceline;
  raceline.is_closed = line.is_closed;
  raceline.lap_time_s = profile.time_s;
  int segment = 0;
  for (int i = 0; i < line.size(); ++i) {
    const TrackPosition position = track.ProjectNear(line.points_m[i], segment);
    segment = position.segment_index;
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
  Stations stations;            // square to the centerline
  std::vector<double> start_m;  // offsets with room
};

Error NarrowError(const Track& track, const RacelineLimits& limits, double arc_m, double room_m) {
  return ErrorOf(track.name(), ": ", FormatFixed(arc_m, 2), " m along, the road is ",
                 FormatFixed(room_m, 3), " m wide; a car of ", FormatFixed(limits.car_width_m, 3),
                 " m with margins of ", FormatFixed(limits.margin_m, 3), " m needs ",
                 FormatFixed(2 * limits.KeepDistance(), 3), " m");
}

Result<Course> FindCourse(const Track& track, const RacelineLimits& limits) {
  LAPFORGE_CHECK_OK(Validate(limits));
  const double step_m = std::max(MeanWidth(track) / kStepsPerWidth, track.length_m() / kMaxSteps);
  Course course{Borders(track), limits.KeepDistance(), step_m, {}, {}};
  RoadStations road = AcrossRoad(track, course.borders, course.keep_m, step_m);
  if (road.narrow_at_m) return NarrowError(track, limits, *road.narrow_at_m, road.room_m);
  course.stations = std::move(road.stations);
  course.start_m = std::move(road.start_m);
  return course;
}

// The line of these offsets as it can be driven; an error where it does not keep clear.
Result<Raceline> DriveClear(const Track& track, const Course& course, const Line& line,
                            const RacelineLimits& limits) {
  for (int i = 0; i < line.num_segments(); ++i) {
    const Vec2 from_m = line.points_m[i], to_m = line.points_m[line.Next(i)];
    if (course.borders.IsClear(from_m, to_m, course.keep_m)) continue;
    const Vec2 middle_m = Lerp(from_m, to_m, 0.5);
    return NarrowError(track, limits, track.Project(middle_m).arc_length_m,
                       2 * std::min(course.keep_m, course.borders.Clearance(middle_m)));
  }
  return Drive(track, line, limits);
}

Result<Raceline> DriveLightest(const Track& track, const RacelineLimits& limits,
                               const Course& course, const LineWeights& weights) {
  const std::vector<double> offsets_m =
      LightestLine(course.stations, course.borders, weights, course.start_m);
  return DriveClear(track, course, course.stations.LineOf(offsets_m), limits);
}

// A line and its time, infinite where it does not keep clear.
struct Candidate {
  Line line;
  double time_s = 0;
};

Candidate Judge(const Course& course, const RacelineLimits& limits, Line line) {
  const bool is_clear = course.borders.IsClear(line, course.keep_m);
  const double time_s = is_clear ? TimeOf(line, limits) : std::numeric_limits<double>::infinity();
  return {std::move(line), time_s};
}

// The fastest line over stations square to a line; that line itself where it is not slower.
Candidate Improve(const Course& course, const RacelineLimits& limits, const Candidate& from) {
  const Stations stations = AcrossLine(from.line, course.borders, course.keep_m, course.step_m);
  const std::vector<double> begin_m(stations.size(), 0.0);
  Candidate next = Judge(course, limits,
                         stations.LineOf(FastestLine(stations, course.borders, limits, begin_m)));
  return next.time_s < from.time_s ? next : from;
}

Result<void> CheckSteering(const Track& track, const Raceline& line, const RacelineLimits& limits) {
  constexpr double kTolerance = 1.01;
  for (const RacelinePoint& point : line.points) {
    const double bend_1pm = std::abs(point.curvature_1pm);
    if (bend_1pm <= kTolerance * limits.max_curvature_1pm) continue;
    return ErrorOf(track.name(), ": ", FormatFixed(point.track_arc_length_m, 2),
                   " m along, the road allows a turn of ", FormatFixed(1 / bend_1pm, 3),
                   " m radius at most; the car's steering turns ",
                   FormatFixed(1 / limits.max_curvature_1pm, 3), " m at least");
  }
  return {};
}

}  // namespace

Result<Raceline> ComputeRaceline(const Track& track, const RacelineLimits& limits) {
  LAPFORGE_TRY(const Course course, FindCourse(track, limits));

  // The time has several minima, such as both sides of a kink. Least curvature finds the wide ones,
  // a stretched elastic band the short ones; its stiffness rounds bends over a few steps.
  constexpr double kBandStiffness = 10;
  std::array<LineWeights, 2> starts;
  starts[0].bend_m3 = 1;
  starts[1].bend_m3 = kBandStiffness * course.step_m * course.step_m;
  starts[1].length = 1;
  Candidate best;
  for (LineWeights& start : starts) {
    start.max_curvature_1pm = limits.max_curvature_1pm;
    const std::vector<double> offsets_m =
        LightestLine(course.stations, course.borders, start, course.start_m);
    const Candidate begin = Judge(course, limits, course.stations.LineOf(offsets_m));
    Candidate candidate = Improve(course, limits, begin);
    if (best.line.size() == 0 || candidate.time_s < best.time_s) best = std::move(candidate);
  }
  for (int round = 1; round < kMaxRounds; ++round) {
    const double before_s = best.time_s;
    best = Improve(course, limits, best);
    if (best.time_s > (1 - kEnough) * before_s) break;
  }
  LAPFORGE_TRY(Raceline raceline, DriveClear(track, course, best.line, limits));
  LAPFORGE_CHECK_OK(CheckSteering(track, raceline, limits));
  return raceline;
}

Result<Raceline> ComputeShortestPath(const Track& track, const RacelineLimits& limits) {
  LAPFORGE_TRY(const Course course, FindCourse(track, limits));
  LineWeights weights;
  weights.length = 1;
  weights.bend_m3 = 0.25 * course.step_m * course.step_m;  // rounds corners within a step or so
  return DriveLightest(track, limits, course, weights);
}

Result<Raceline> ComputeCenterline(const Track& track, const RacelineLimits& limits) {
  LAPFORGE_TRY(const Course course, FindCourse(track, limits));
  // waves shorter than the road is wide are smoothed: jitter and corners of the rows
  constexpr double kSmoothing = 0.2;
  LineWeights weights;
  weights.closeness_1pm2 = 1;
  weights.bend_m3 = std::pow(kSmoothing * MeanWidth(track), 4);
  weights.wanted_m.assign(course.stations.size(), 0.0);
  return DriveLightest(track, limits, course, weights);
}

Result<Raceline> DriveLine(const Track& track, std::span<const Vec2> points_m,
                           const RacelineLimits& limits) {
  LAPFORGE_CHECK_OK(Validate(limits));
  Line line{{points_m.begin(), points_m.end()}, track.is_closed()};
  if (line.is_closed && line.size() > 1 && line.points_m.front() == line.points_m.back()) {
    line.points_m.pop_back();
  }
  if (line.size() < 3) return ErrorOf("a line of ", line.size(), " points; expected 3 or more");
  for (int i = 0; i < line.size(); ++i) {
    const Vec2 point_m = line.points_m[i];
    if (!std::isfinite(point_m.x) || !std::isfinite(point_m.y)) {
      return ErrorOf("point ", i, " of the line is not finite");
    }
    if (i < line.num_segments() && point_m == line.points_m[line.Next(i)]) {
      return ErrorOf("points ", i, " and ", line.Next(i), " of the line are the same");
    }
  }
  return Drive(track, line, limits);
}

}  // namespace lapforge::tracks
