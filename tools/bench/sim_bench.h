// The simulator part of `lapforge bench`: what a control step costs.
#pragma once

#include "tracks/track.h"

namespace lapforge::bench {

/// Drives cars round `track` by pure pursuit with and without walls, 64 and 4,096 of them, on 1 and
/// 2 threads, about `num_env_steps` control steps of one car in each scene. Prints one line a scene
/// to stdout: control steps a second, microseconds a step and in each phase (the phases from a run
/// of their own, since reading a clock costs too), and the final state hash, which must not depend
/// on the threads. Returns 0, or 1 after a message on stderr.
int BenchSim(const tracks::Track& track, int num_env_steps);

}  // namespace lapforge::bench
