// The track part of `lapforge bench`: what a question about the track costs.
#pragma once

#include "tracks/track.h"

namespace lapforge::bench {

/// Drives a lap of `track` in small steps that weave over the road, asking for projections with and
/// without a hint, borders, inside or outside, curvature and widths; then reads the track again
/// from its file's bytes and paints its ground in color. Prints one line each to stdout: the least
/// time of several repetitions and a hash of the answers, which must not depend on the machine.
/// Returns 0, or 1 after a message on stderr.
int BenchTrack(const tracks::Track& track);

}  // namespace lapforge::bench
