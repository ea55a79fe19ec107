// The rules of an episode: where it starts, what ends it, how its laps are timed.
#pragma once

#include <array>
#include <span>

#include "sim/objects/free_spot.h"
#include "sim/sim_options.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

// What the judge remembers of the facts it has seen in this episode.
struct JudgeState {
  int32_t num_judged = 0;
  int32_t num_still = 0;    // steps in a row nearly without moving
  int32_t num_falling = 0;  // steps in a row with falling progress
  int32_t lap_count = 0;
  int32_t reset_count = 0;
  int64_t penalty_us = 0;  // of all resets
  double last_progress_pct = 0;
  std::array<Vec2, 2> last_points_m{};  // front points of the last two facts
};

// How long an episode has been driven, this step included.
struct EpisodeClock {
  int num_steps = 0;    // control steps
  double driven_s = 0;  // without penalties
};

// Decides on one step: fills the judge's part of `facts` (all but the lap time). Order as in
// spec/deepracer.md 4.4: a completed lap counts even on the step that leaves the track; time that
// is up ends an episode whatever resets are left.
void Judge(const EpisodeOptions& options, const EpisodeClock& clock, JudgeState& state,
           StepFacts& facts);

// The verdict on a step whose state is not finite.
void JudgeFault(StepFacts& facts);

// The pause for a violation.
int64_t PenaltyUs(const EpisodeOptions& options, EndReason violation);

// Where a car is put back after the violation that `facts` describe: the middle of the nearer lane,
// where it was along the track one step before; after a crash a metre behind that.
RoadSpot ChooseResetSpot(const tracks::Track& track, const StepFacts& facts);

// The front points of one control step: before it and after each substep.
struct StepPath {
  std::span<const Vec2> front_points_m;
  double start_s = 0;  // of the step, since the episode's start
  double substep_s = 0;
};

// When the front point crossed the line at `line_m` (an arc length; on an open track the end)
// forward within the step, in microseconds since the episode's start, interpolated inside the
// substep. The end of the step if it did not.
int64_t CrossingTimeUs(const tracks::Track& track, double line_m, const StepPath& path);

// Where and how an episode starts.
struct EpisodeStart {
  RoadSpot spot;
  double heading_error_rad = 0;
  double speed_mps = 0;
};

bool IsReversedEpisode(DirectionMode mode, uint32_t episode_index);

// Start of episode `episode_index` of env `env_index` on `track`, the view in the episode's
// direction. On an open track the start lies between `car_length_m` (the front point's distance to
// the rear wheels, so that the car stands on the road) and a metre before the end.
EpisodeStart ChooseStart(const SimOptions& options, const tracks::Track& track, int env_index,
                         uint32_t episode_index, double car_length_m);

}  // namespace lapforge::sim
