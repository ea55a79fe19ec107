// Racing lines: the fastest way around a track for a car of given limits, and how fast any other
// line can be driven.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/math.h"
#include "sim/base/result.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// What a motor can do at one speed.
struct MotorPoint {
  double speed_mps = 0;
  double accel_mps2 = 0;
};

// What a car can do, as a point in the middle of its width. The defaults are those of a 1/18 car.
struct RacelineLimits {
  // Grip: the half axes of the friction ellipse, (braking or driving, turning).
  double longitudinal_accel_mps2 = 6.5;  // 0.01 .. 1000
  double lateral_accel_mps2 = 9.8;       // 0.01 .. 1000

  // Acceleration of the motor over speed, linear between the points, constant before the first:
  // speeds rise, accelerations are positive but for the last, which may be 0. The last speed is
  // the top speed.
  std::vector<MotorPoint> motor = {{0, 6.5}, {3.4, 6.5}, {4, 0}};  // 1 .. 1000 points
  double brake_decel_mps2 = 6;                                     // 0.01 .. 1000

  // Of the car turning about itself: limits how fast bends begin, softly: see ComputeRaceline.
  double yaw_accel_radps2 = 70;  // 0.01 .. 1e6

  double car_width_m = 0.2;        // 0 .. 10
  double margin_m = 0.05;          // between the car's side and a border; negative: the side may
                                   // cross it, the car's middle not
  double max_curvature_1pm = 3.5;  // of a turn at full steering, 0.001 .. 1000

  // The last speed of the motor's points.
  double TopSpeed() const { return motor.back().speed_mps; }
  // Interpolates the motor's points; 0 beyond the top speed.
  double MotorAccel(double speed_mps) const;
  // Distance of the car's middle from a border: half the width and the margin.
  double KeepDistance() const { return 0.5 * car_width_m + margin_m; }
};

// Ranges of all fields; the message names the field.
Result<void> Validate(const RacelineLimits& limits);

// One point of a line, driven with the speed profile of its limits.
struct RacelinePoint {
  double arc_length_m = 0;  // along the line from its first point
  Vec2 position_m;
  double yaw_rad = 0;        // direction of travel, 0 east, counter-clockwise
  double curvature_1pm = 0;  // left positive
  double speed_mps = 0;
  double accel_mps2 = 0;          // constant from this point to the next
  double track_arc_length_m = 0;  // of the point's projection on the centerline
  double lateral_offset_m = 0;    // from the centerline, left positive
};

// A line around a track and how it is driven.
struct Raceline {
  bool is_closed = false;  // then the line goes on from the last point to the first, not repeated
  double length_m = 0;     // of the straight stretches between the points, the last one included
  double lap_time_s = 0;   // a flying lap; on an open track from standstill to the end
  std::vector<RacelinePoint> points;  // two or more, in driving order, about evenly spaced

  // The line at an arc length along it, linear between points (speed: constant acceleration);
  // wraps on a closed line, clamps on an open one. Some 20 ns where points are evenly spaced.
  RacelinePoint At(double arc_length_m) const;
};

// The line of the shortest lap that was found, in the track's driving direction. The whole line
// keeps the car's half width and the margin away from every border, and bends no more than the
// steering can (within 1 %). Curvature rises and falls gently where that costs next to no time.
// Takes 0.2 to 1 s for a lap of 20 to 60 m. Errors: limits out of range; the place where the road
// is too narrow for the car and its margins, or too tight for its steering.
Result<Raceline> ComputeRaceline(const Track& track, const RacelineLimits& limits);

// For comparison, within the same borders and under the same errors, except that both may bend more
// than the steering: the shortest way round, and the centerline rounded as a car would drive it.
Result<Raceline> ComputeShortestPath(const Track& track, const RacelineLimits& limits);
Result<Raceline> ComputeCenterline(const Track& track, const RacelineLimits& limits);

// Any line as it can be driven within the limits of speed; where it runs is not checked. The points
// of a closed track's line may but need not repeat the first one at the end. Refuses fewer than
// three points and points that are not finite or coincide.
Result<Raceline> DriveLine(const Track& track, std::span<const Vec2> points_m,
                           const RacelineLimits& limits);

// The CSV file of TUM's global_racetrajectory_optimization, which F1TENTH tools read: comment lines
// with '#', the last of them the header "s_m; x_m; y_m; psi_rad; kappa_radpm; vx_mps; ax_mps2",
// numbers with 7 decimals separated by "; ". psi is 0 for north and counter-clockwise. The last row
// of a closed line repeats the first at s = length. `name` goes into the first comment.
std::string RacelineToCsv(const Raceline& raceline, std::string_view name);

// Reads such a file, with or without comments, separated by ';' or ','; at most 5001 rows. Where it
// lies on the track is taken from `track`. Errors begin with "source:line: ".
Result<Raceline> ParseRacelineCsv(const Track& track, std::string_view text,
                                  const std::string& source);

}  // namespace lapforge::tracks
