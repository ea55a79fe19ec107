// The long test of the simulator: random driving with everything switched on.
#pragma once

#include <cstdint>

#include "tracks/track.h"

namespace lapforge::bench {

struct SoakOptions {
  int64_t num_env_steps = 1000000;
  int num_envs = 64;
  int num_threads = 1;
};

/// Drives cars on and beside `track` with random actions, all sensors, boxes and every
/// randomization: half of the steps between walls, half on roads of random width. Prints one line
/// for each half: steps, episodes, faults, numbers that are not finite, the process's memory before
/// and after, and the final hash of state and observations. Returns 0, or 1 after a message on
/// stderr: where a number is not finite although no fault is reported, or memory grows.
int SoakSim(const tracks::Track& track, const SoakOptions& options);

}  // namespace lapforge::bench
