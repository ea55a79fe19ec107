// Every choice a simulation depends on, with its default, unit and consequence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/option_fields.h"
#include "sim/base/result.h"

namespace lapforge::sim {

inline constexpr int kMaxSubstepsPerControl = 64;

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
// RoundRobin: `start_advance_frac` further each episode. Anywhere: random place and pose.
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
};

struct SensorOptions {
  bool track_state = true;  // 9 + 2 x look-ahead numbers, spec/learning.md section 2
  std::vector<double> look_ahead_m = {0.2, 0.4, 0.6, 0.8, 1.1, 1.4, 1.8, 2.2, 2.7, 3.2};
};

struct SimOptions {
  int num_envs = 64;  // 1 .. 65536
  uint64_t seed = 1;
  std::string car = "rc_1_18";  // built-in name or file
  FactsInstant facts = FactsInstant::kMeasured;
  bool walls = false;  // solid walls along both borders
  TimingOptions timing;
  ActionOptions actions;
  EpisodeOptions episode;
  SensorOptions sensors;

  double control_dt_s() const { return 1.0 / timing.control_hz; }
  int num_actions() const { return static_cast<int>(actions.discrete_speed_mps.size()); }
  // Numbers an env's action takes: 2 continuous, 1 discrete.
  int action_dim() const { return actions.kind == ActionKind::kContinuous ? 2 : 1; }
};

// Lists every field once, with its range.
void VisitFields(SimOptions& options, FieldVisitor& visitor);
void VisitFields(ActionOptions& actions, FieldVisitor& visitor);
void VisitFields(SensorOptions& sensors, FieldVisitor& visitor);

// Ranges of all fields and the rules between fields; the message names the key.
Result<void> Validate(const SimOptions& options);

}  // namespace lapforge::sim
