// Whether a car can race on a track: what training and evaluation ask before they begin.
#pragma once

#include <string>

#include "sim/base/result.h"
#include "sim/car.h"
#include "tracks/track.h"
#include "tracks/track_check.h"

namespace lapforge::cli {

// What a track must fit for this car.
tracks::CheckLimits CheckLimitsOf(const sim::CarSpec& car);

// Loads a track for racing: refuses one with errors, warns once of what is doubtful. Both name
// `lapforge track check`.
Result<tracks::Track> LoadTrackFor(const sim::CarSpec& car, const std::string& name_or_path);

}  // namespace lapforge::cli
