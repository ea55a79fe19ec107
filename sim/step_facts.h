// The single description of what happened in one control step of one env.
#pragma once

#include <array>
#include <cstdint>

#include "sim/base/math.h"
#include "sim/car.h"
#include "sim/sim_options.h"
#include "tracks/track.h"

namespace lapforge::sim {

enum class EndReason : uint8_t {
  kNone,         // in progress
  kOffTrack,     // all four wheels outside the road          terminated
  kLapComplete,  // the last lap asked for                    truncated: the race would go on
  kStepLimit,    //                                           truncated
  kCrashed,      // ran into an object                        terminated
  kStuck,        // nearly without moving                     terminated
  kReversed,     // progress fell for many steps              terminated
  kTimeUp,       // EpisodeOptions::max_time_s                truncated
  kFault,        // non-finite state                          terminated; counted
  kRewardError,  // VectorSim::EndEpisode, by the learner     terminated
};

// "off_track", "lap_complete", ... as files and messages spell it.
const char* EndReasonName(EndReason reason);

// A box, a bot car or another car on the road. Arc length and offset are those of its middle, in
// the episode's direction. No padding: part of a saved state.
struct ObjectFacts {
  Vec2 position_m;     // of its middle
  double yaw_rad = 0;  // of its length
  double speed_mps = 0;
  double arc_length_m = 0;
  double lateral_offset_m = 0;  // left positive
  float length_m = 0;
  float width_m = 0;
  float height_m = 0;  // above the ground; a car's with the camera and lidar that it carries
  ObjectKind kind = ObjectKind::kBox;
};

// Filled by VectorSim::Step, before any respawn, in the order of its phases. Rewards, judges,
// traces and viewers read only this. All fields describe the instant that SimOptions::facts
// chooses.
struct StepFacts {
  // --- episode (VectorSim::Step)
  int32_t env_index = 0;
  int32_t track_index = 0;        // into VectorSim::tracks(): the view in this episode's direction
  uint32_t episode_index = 0;     // of this env, from 0
  int32_t steps = 0;              // DeepRacer's count: 2 on the first step (1 is its prepare step)
  double sim_time_s = 0;          // simulated time of this env at the start of the step
  double start_arc_length_m = 0;  // where this episode started

  // --- actuate: what was asked for, unclipped, and the action as the policy sees it, in [-1, 1]
  double steering_cmd_rad = 0;
  double speed_cmd_mps = 0;
  std::array<double, 2> action{};       // steering, speed
  std::array<double, 2> last_action{};  // of the step before; zero at the start of an episode
  int32_t action_index = -1;            // discrete actions only

  // --- measure
  CarState car;
  Vec2 front_point_m;  // DeepRacer's P; all positions below are of this point
  std::array<Vec2, kNumWheels> wheels_m{};
  std::array<bool, kNumWheels> wheel_on_road{};
  tracks::TrackPosition position;
  tracks::BorderPoints borders;  // beside the nearest centerline point
  double heading_error_rad = 0;  // yaw minus the centerline's tangent
  double progress_pct = 0;       // spec/deepracer.md 1.3; exactly 100 when a lap completes
  double progress_delta_m = 0;   // along the centerline since the previous facts, signed
  bool all_wheels_on_track = true;
  bool is_off_track = false;  // EpisodeOptions::off_track_wheels outside: all four

  // --- objects, in the order of their arc lengths
  std::array<ObjectFacts, kMaxObjects> objects{};  // the first num_objects
  int32_t num_objects = 0;
  int32_t previous_object = 0;            // along the track, behind the front point (DeepRacer's
  int32_t next_object = 0;                // closest_objects); both 0 without objects
  bool is_next_object_in_camera = false;  // of DeepRacer's car: its middle or a corner is in view
  bool is_crashed = false;  // a corner of the car is inside a box, or a car that is ahead, grown by
                            // the crash margin
  int32_t race_position = 1;  // among the cars of one world, 1 leads: by the way driven in their
                              // episodes, from the start line

  // --- judge
  bool terminated = false;
  bool truncated = false;
  EndReason reason = EndReason::kNone;
  int32_t lap_count = 0;     // laps completed in this episode, this step included
  int64_t lap_time_us = 0;   // of the lap completed in this step, penalties included, else 0
  int64_t lap_clock_us = 0;  // since the lap under way began, penalties so far included
  EndReason reset_reason = EndReason::kNone;  // why the car is put back after this step; the
                                              // episode goes on
  int32_t reset_count = 0;                    // in this episode, this step included

  bool ended() const { return terminated || truncated; }
};

}  // namespace lapforge::sim
