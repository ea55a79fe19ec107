// The same track in several widths, for randomization.
#pragma once

#include <vector>

#include "sim/car.h"
#include "sim/sim_options.h"
#include "tracks/track.h"

namespace lapforge::sim {

// The track itself and, where RandomizeOptions::track_width_frac asks for them, copies whose
// borders are moved away from the centerline or towards it: NumTrackWidths() in all, evenly from
// 1 - frac to 1 + frac of the width. Where a road would then fold, touch or cover itself where the
// track itself does not, or be narrower than the car, its width changes as far as it can.
Result<std::vector<tracks::Track>> InAllWidths(const tracks::Track& track, const CarSpec& car,
                                               const RandomizeOptions& randomize);

}  // namespace lapforge::sim
