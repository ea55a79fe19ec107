// Every choice a simulation depends on, with its default, unit and consequence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/option_fields.h"
#include "sim/base/result.h"
#include "sim/sensors.h"

namespace lapforge::sim {

inline constexpr int kMaxSubstepsPerControl = 64;
inline constexpr int kMaxObjects = 8;  // boxes, bot cars and other cars together
inline constexpr int kMaxCarsPerWorld = 8;

struct TimingOptions {
  double control_hz = 15;        // decisions a second; DeepRacer's camera rate
  int substeps_per_control = 8;  // 8 x 15 Hz = 120 Hz physics; at least 100 Hz in all
};

enum class ActionKind { kContinuous, kDiscrete };

// What an action means. Continuous: [steering, speed] in [-1, 1], scaled linearly onto low .. high
// (and clipped there). Discrete: one number, the index of a row of the lists.
struct ActionOptions {
  ActionKind kind = ActionKind::kContinuous;
  double steering_low_deg = -30;
  double steering_high_deg = 30;
  double speed_low_mps = 0.5;
  double speed_high_mps = 4.0;
  std::vector<double> discrete_steering_deg;  // same length as discrete_speed_mps, 2 .. 512 rows
  std::vector<double> discrete_speed_mps;
};

// Which instant StepFacts describe. Measured: after the physics of the step. Deepracer: the state
// seen when the action was chosen (spec/deepracer.md 1.4); the judge then ends an episode one
// control step later, so that the user's function sees the off-track pose and progress 100.
enum class FactsInstant { kMeasured, kDeepracer };

// Where an episode starts. Line: at the start line. Spread: env i at i / num_envs of the lap.
// RoundRobin: `start_advance_frac` further each episode. Anywhere: random place and pose. Several
// cars of one world line up behind that place, 0.75 m apart on alternate lanes (anywhere: each at a
// random place), or where the road is free.
enum class StartMode { kLine, kSpread, kRoundRobin, kAnywhere };

enum class DirectionMode { kForward, kReversed, kAlternate };

struct EpisodeOptions {
  StartMode start = StartMode::kAnywhere;
  DirectionMode direction = DirectionMode::kForward;
  double start_offset_frac = 0;      // of the lap, added to the start line
  double start_advance_frac = 0.05;  // kRoundRobin
  double start_lateral_frac = 0.5;   // kAnywhere: up to this share of the half width, each side
  double start_heading_rad = 0.2;    // kAnywhere: up to this heading error, each side
  double start_speed_mps = 2;        // kAnywhere: 0 .. this
  int max_steps = 400;               // control steps; then truncated. 0: no limit
  int max_laps = 0;                  // ends the episode (truncated) when completed; 0: no limit
                                     // (an open track always ends with its one lap)
  int stuck_steps = 15;              // this many steps nearly without moving end it; 0: never
  double stuck_distance_m = 0.0003;  // what "nearly without moving" means
  int reversed_steps = 15;           // this many steps of falling progress end it; 0: never
  double max_time_s = 0;             // simulated time with penalties; then truncated. 0: no limit
  // Evaluations and races: this many violations (off track, crashed, stuck, reversed) put the car
  // back on the road, standing in the middle of the nearer lane, instead of ending the episode.
  // The penalty is added to the time of the lap; nothing is simulated meanwhile.
  int max_resets = 0;
  int off_track_wheels = 4;        // this many wheels outside are off track, 1 .. 4
  double off_track_penalty_s = 2;  // and for reversed
  double crash_penalty_s = 5;
  double stuck_penalty_s = 0;
};

// What is on the road besides the car: a box stands, a bot car drives along a lane, a car learns as
// this one does.
enum class ObjectKind : int32_t { kBox, kBot, kCar };

// Where boxes stand and bot cars begin. Even: from `min_distance_m` behind the line to a metre
// before it, lanes alternate. Random: anew each episode, at least `min_distance_m` apart. Listed:
// as the lists say.
enum class ObjectPlacement { kEven, kRandom, kListed };

// Boxes or bot cars on the road, in the middle of a lane and turned along it (spec/deepracer.md
// 4.8). Bot cars have the size of the first car, drive at one speed in the episode's direction
// whatever is in their way, and stop at the end of an open road. Where several cars share a world
// its objects are placed once, by Reset.
struct ObjectOptions {
  ObjectKind kind = ObjectKind::kBox;  // box or bot
  int count = 0;                       // with the other cars of the world at most kMaxObjects
  ObjectPlacement placement = ObjectPlacement::kEven;
  double min_distance_m = 2;           // along the centerline
  std::vector<double> positions_frac;  // kListed: of the lap from the start line, forward direction
  std::vector<double> lanes;           // kListed: 1 inner, 0 the middle, -1 outer; as long as
                                       // positions_frac
  double length_m = 0.4;               // of boxes, along the road; DeepRacer's box
  double width_m = 0.3;
  double height_m = 0.25;
  double crash_margin_m = 0.05;  // a corner of the car this near to a box has crashed; likewise to
                                 // a bot car or a car that is ahead
  double gray_level = 150;       // of all objects in a camera, 0 .. 255
  double bot_speed_mps = 0.2;    // DeepRacer's
  bool lane_changes = false;     // of bot cars, to the lane on the other side and back
  double lane_change_low_s = 3;  // time in a lane, uniform between the two
  double lane_change_high_s = 5;
  double lane_change_distance_m = 1;  // driven from lane to lane
};

// Domain randomization: how far each episode may differ from the options and the car; 0 is off.
// Every number is uniform in the range that the comment names.
struct RandomizeOptions {
  // the car
  double friction_frac = 0;       // times 1 +- this
  double mass_frac = 0;           // times 1 +- this, inertia likewise
  double com_shift_m = 0;         // of the centre of mass along each axis, plus or minus this
  double drive_frac = 0;          // drive and brake torque times 1 +- this
  double speed_gain_frac = 0;     // the speed that the motor goes for, times 1 +- this
  double steering_gain_frac = 0;  // the angle that the servo goes for, times 1 +- this
  double steering_trim_deg = 0;   // plus or minus this
  double steering_lag_frac = 0;   // times 1 +- this
  double motor_lag_frac = 0;      // times 1 +- this
  int latency_steps = 0;          // 0 .. this more control steps
  // the camera
  double camera_shift_m = 0;     // along each axis, plus or minus this
  double camera_turn_deg = 0;    // about each axis, plus or minus this
  double camera_fov_frac = 0;    // width of the view times 1 +- this
  double brightness_levels = 0;  // plus or minus this, of 255
  double contrast_frac = 0;      // times 1 +- this, about the middle gray
  double blur_frac = 0;          // 0 .. this: 1 is a full 3 x 3 mean
  double light_frac = 0;         // each colour's light times 1 +- this
  int num_grounds = 1;  // this many differently painted grounds a track, 1: the usual one; each
                        // further width of a road has one of them
  double ground_color_levels = 60;  // how far colours of the other grounds differ, plus or minus
  // other sensors
  double noise_frac = 0;  // all sensors' noise times 1 +- this
  // the track: one of a few copies, evenly from 1 - this to 1 + this of its width, or as far as the
  // road allows; not with walls
  double track_width_frac = 0;

  bool operator==(const RandomizeOptions&) const = default;
};

// How many widths each track comes in. VectorSim::tracks() holds them one after the other, the
// track's own first.
constexpr int NumTrackWidths(const RandomizeOptions& randomize) {
  return randomize.track_width_frac > 0 ? 5 : 1;
}

struct SimOptions {
  int num_envs = 64;       // 1 .. 65536; rows of all batches
  int cars_per_world = 1;  // that many rows in a row race each other on one road; divides num_envs
  uint64_t seed = 1;
  std::string car = "rc_1_18";  // built-in name or file
  FactsInstant facts = FactsInstant::kMeasured;
  bool walls = false;  // solid walls along both borders
  TimingOptions timing;
  ActionOptions actions;
  EpisodeOptions episode;
  SensorOptions sensors;
  ObjectOptions objects;
  RandomizeOptions randomize;

  double control_dt_s() const { return 1.0 / timing.control_hz; }
  int num_worlds() const { return num_envs / cars_per_world; }
  int num_actions() const { return static_cast<int>(actions.discrete_speed_mps.size()); }
  // Numbers an env's action takes: 2 continuous, 1 discrete.
  int action_dim() const { return actions.kind == ActionKind::kContinuous ? 2 : 1; }
};

// Lists every field once, with its range.
void VisitFields(SimOptions& options, FieldVisitor& visitor);
void VisitFields(ActionOptions& actions, FieldVisitor& visitor);

// Ranges of all fields and the rules between fields; the message names the key.
Result<void> Validate(const SimOptions& options);

}  // namespace lapforge::sim
