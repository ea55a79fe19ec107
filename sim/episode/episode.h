// What one env remembers of its episode, and the rules that end it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sim/sim_options.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

// Bookkeeping of the judge: what happened in the episode before the facts it is shown.
struct JudgeState {
  int32_t num_judged = 0;
  int32_t num_still = 0;    // steps in a row nearly without moving
  int32_t num_falling = 0;  // steps in a row with falling progress
  int32_t lap_count = 0;
  double last_progress_pct = 0;
  std::array<Vec2, 2> last_points_m{};  // front points of the two facts before, newest first
};

// Decides on one step of one env: fills the judge's part of `facts`. The order is spec/deepracer.md
// 4.4: a completed lap counts even on the step that leaves the track. `num_steps`: control steps
// taken in this episode, this one included.
void Judge(const EpisodeOptions& options, int num_steps, JudgeState& state, StepFacts& facts);

// The front points of one control step: at its start and after each substep.
struct FrontPath {
  std::span<const Vec2> points_m;
  double substep_s = 0;
};

// When the front point crossed the start line (on an open track: reached the end) within the step,
// in seconds since the step's start, interpolated inside the substep. Only for a step that did.
double CrossingTimeInStep(const tracks::Track& track, double start_arc_length_m,
                          const FrontPath& path);

}  // namespace lapforge::sim
