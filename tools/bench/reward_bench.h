// The reward part of `lapforge bench`: what a call costs.
#pragma once

#include "tracks/track.h"

namespace lapforge::bench {

/// Evaluates `num_calls` steps spread over one lap of `track`, 64 envs at a time, with the native
/// reward and with Python functions of growing size, called for each env, for all at once, and in
/// worker processes. Prints one line each to stdout: microseconds a call, the user's code included,
/// and a hash of the rewards; then the speed of the simulator with and without a Python reward.
/// Where the program's main does not serve as a worker, that is an error. Returns 0, or 1 after a
/// message on stderr.
int BenchReward(const tracks::Track& track, int num_calls);

}  // namespace lapforge::bench
