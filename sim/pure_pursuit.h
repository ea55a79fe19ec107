// The built-in driver: pure pursuit of a line, slower where the line bends. Needs no learning; the
// baseline that policies and rewards are compared with.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/base/result.h"
#include "sim/car.h"
#include "sim/vector_sim.h"
#include "tracks/track.h"

namespace lapforge::sim {

// A calm driver by default: half of the grip of a good tyre, so that it stays on every track.
struct PursuitOptions {
  double max_speed_mps = 2;            // 0.1 .. 100, on straights
  double lateral_mps2 = 4;             // 0.1 .. 100: speed in bends is sqrt(lateral / curvature)
  double braking_mps2 = 2;             // 0.1 .. 100: slows down in time for the next bend
  double look_ahead_wheelbases = 2.2;  // 0.5 .. 20: from the rear axle to the goal, at rest
  double look_ahead_s = 0.1;           // 0 .. 2: and this much further for each m/s
  double preview_s = 0.15;  // 0 .. 2: asks for the speed of the place reached by then (the
                            // motor's lag)
};

// Ranges of the fields; the message names the field.
Result<void> Validate(const PursuitOptions& options);

// A line to drive, in driving order: once round a closed track (the last point next to the first),
// or along an open one.
struct DrivingLine {
  std::vector<Vec2> points_m;
  std::vector<double> speeds_mps;  // [points_m.size()], or empty: from the line's curvature
};

// Drives every env of a simulator along its centerline, or along lines given. Decides from where
// the cars are now; remembers nothing.
class PurePursuit {
 public:
  // `sim` is borrowed and must outlive the driver. The options must be valid.
  explicit PurePursuit(const VectorSim& sim, const PursuitOptions& options = {});
  ~PurePursuit();

  // Drives `line` on the view `track_index` of VectorSim::tracks() instead of its centerline.
  // Errors: too few points, a point that goes back along the track, or not the whole way.
  Result<void> Follow(int track_index, const DrivingLine& line);

  // What the driver wants of the car of one env now.
  CarCommand CommandOf(int env_index) const;

  // The actions that come nearest to the commands, for VectorSim::Step. [num_envs, action_dim]
  void Decide(std::span<float> actions) const;
  // Only the rows of `envs`: parts without a common env may be decided at the same time.
  void Decide(std::span<float> actions, const EnvRange& envs) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapforge::sim
