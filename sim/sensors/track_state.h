// The privileged sensor "track state" (spec/learning.md section 2): what a perfect localisation on
// a perfect map would tell.
#pragma once

#include <span>

#include "sim/sim_options.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

// Numbers it writes.
int TrackStateSize(const SensorOptions& options);

// Writes [TrackStateSize] numbers from the measured part of `facts` and its `action`, scaled to
// about -1 .. 1: lateral offset / half width of that side; heading error, rad; speed / 2 - 1;
// lateral velocity, m/s; yaw rate / 5; the last action; for each look-ahead distance d the
// centerline point d ahead in the frame of the front point, x and y / (d + 0.3); width - 1 m here
// and 1 m ahead.
void WriteTrackState(const SensorOptions& options, const tracks::Track& track,
                     const StepFacts& facts, std::span<float> numbers);

}  // namespace lapforge::sim
