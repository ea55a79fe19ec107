// Lapforge's track files.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "tracks/design/track_design.h"

namespace lapforge::tracks {

// Reads a .textproto of tracks/proto/track.proto. Errors begin with "source:line: "; an unknown key
// comes with the nearest known one.
Result<TrackDesign> ParseTrackDesign(std::string_view text, const std::string& source);

}  // namespace lapforge::tracks
