// The order of the search: from the middle of the road over the least bent line to the fastest.
#include "tracks/raceline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tracks/raceline/line_search.h"
#include "tracks/raceline/road.h"
#include "tracks/raceline/speed_profile.h"

namespace lapforge::tracks {
namespace {

constexpr double kStepsPerWidth = 12;  // of the road: its bends are hardly tighter than it is wide
constexpr double kMaxSteps = 4000;     // bounds the time for long tracks
constexpr double kSupple = 0.25;       // of a band, in steps squared: rounds kinks within a step
constexpr int kMaxRounds = 6;
constexpr double kEnough = 1e-4;  // stop when a round gains less, relative

double MeanWidth(const Track& track) {
  double sum_m = 0;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    sum_m += Length(track.waypoint(i).left_m - track.waypoint(i).right_m);
  }
  return sum_m / track.num_waypoints();
}

// The search keeps to the steering's limit by force, not exactly.
double MaxCurvature(const RacelineLimits& limits) { return 1.01 * limits.max_curvature_1pm; }

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
    const double clearance_m = course.borders.Clearance(from_m, to_m, course.keep_m);
    if (clearance_m >= course.keep_m) continue;
    const double arc_m = track.Project(Lerp(from_m, to_m, 0.5)).arc_length_m;
    return NarrowError(track, limits, arc_m, 2 * std::max(0.0, clearance_m));
  }
  return Drive(track, line, limits);
}

Result<Raceline> DriveLightest(const Track& track, const RacelineLimits& limits,
                               const Course& course, const LineWeights& weights) {
  const std::vector<double> offsets_m =
      LightestLine(course.stations, course.borders, weights, course.start_m);
  return DriveClear(track, course, course.stations.LineOf(offsets_m), limits);
}

// A line and its time, which is infinite where it does not keep clear and absurd where the steering
// cannot follow.
struct Candidate {
  Line line;
  double time_s = 0;
};

Candidate Judge(const Course& course, const RacelineLimits& limits, Line line) {
  constexpr double kAbsurd_s = 1e9;
  if (!course.borders.IsClear(line, course.keep_m)) {
    return {std::move(line), std::numeric_limits<double>::infinity()};
  }
  const LineShape shape = ShapeOf(line);
  double time_s = ProfileOf(shape, line.is_closed, limits).time_s;
  for (const double curvature_1pm : shape.curvature_1pm) {
    if (std::abs(curvature_1pm) > MaxCurvature(limits)) time_s = kAbsurd_s;
  }
  return {std::move(line), time_s};
}

// The fastest line over stations square to a line; that line itself where it is not slower.
Candidate Improve(const Course& course, const RacelineLimits& limits, const Candidate& from) {
  if (!std::isfinite(from.time_s)) return from;
  const Stations stations = AcrossLine(from.line, course.borders, course.keep_m, course.step_m);
  const std::vector<double> begin_m(stations.size(), 0.0);
  Candidate next = Judge(course, limits,
                         stations.LineOf(FastestLine(stations, course.borders, limits, begin_m)));
  return next.time_s < from.time_s ? next : from;
}

Result<void> CheckSteering(const Track& track, const Raceline& line, const RacelineLimits& limits) {
  for (const RacelinePoint& point : line.points) {
    const double bend_1pm = std::abs(point.curvature_1pm);
    if (bend_1pm <= MaxCurvature(limits)) continue;
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
  // a stretched band the short ones: stiff, so that bends take a few steps, and hardly so, which is
  // the shortest path and the best there is where no bend slows the car.
  constexpr double kStiff = 10;
  const double step_sq = course.step_m * course.step_m;
  const LineWeights starts[] = {{.bend_m3 = 1},
                                {.bend_m3 = kStiff * step_sq, .length = 1},
                                {.bend_m3 = kSupple * step_sq, .length = 1}};
  Candidate best;
  for (LineWeights start : starts) {
    start.max_curvature_1pm = limits.max_curvature_1pm;
    const std::vector<double> offsets_m =
        LightestLine(course.stations, course.borders, start, course.start_m);
    Candidate candidate = Judge(course, limits, course.stations.LineOf(offsets_m));
    // the supple band's kinks are slow on all but wide roads
    const bool is_worth_it = best.line.size() == 0 || candidate.time_s < 1.1 * best.time_s;
    if (is_worth_it) candidate = Improve(course, limits, candidate);
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
  weights.bend_m3 = kSupple * course.step_m * course.step_m;
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
