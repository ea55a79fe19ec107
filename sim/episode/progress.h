// Progress along a lap, DeepRacer's formula and its counterpart for open tracks.
#pragma once

#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

// spec/deepracer.md 1.3. `ndist` and `start_ndist` are shares of the lap in [0, 1]; `previous` is
// what the formula goes on from: 0 at the start, and 0 after a result of 100. Result in percent,
// exactly 100 when the lap completes.
double DeepRacerProgress(double ndist, double start_ndist, double previous);

// Progress of an episode at a position: on a closed track the formula above; on an open track the
// share of the way from the episode's start to the end of the centerline, which completes when the
// front point has reached the end.
double ProgressAt(const tracks::Track& track, double arc_length_m, double start_arc_length_m,
                  double previous_pct);

// What both go on from after these facts: the progress of the lap that is under way.
inline double LapProgress(const StepFacts& facts) {
  return facts.progress_pct < 100 ? facts.progress_pct : 0;
}

}  // namespace lapforge::sim
