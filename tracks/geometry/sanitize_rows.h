// What a file may have wrong, found and mended before a track is made of it.
#pragma once

#include "sim/base/result.h"
#include "tracks/track.h"

namespace lapforge::tracks {

inline constexpr double kSamePoint_m = 1e-9;     // DeepRacer's limit for repeated rows
inline constexpr double kMaxCoordinate_m = 1e5;  // far from where squares lose millimetres

// The rows without repeated ones and with swapped neighbours put in order, or the reason why they
// are no track. Errors name the track and the row, counted from 0 as in the file. Logs a warning
// for what was mended beyond DeepRacer's own rules.
Result<TrackRows> SanitizeRows(TrackRows rows);

}  // namespace lapforge::tracks
