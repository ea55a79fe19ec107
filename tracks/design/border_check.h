// Finds roads that cannot be driven because their borders cross.
#pragma once

#include <optional>

#include "tracks/track.h"

namespace lapforge::tracks {

// A place where a border meets itself or the other border, if there is one. Needs rows of equal
// length; on a closed track the last repeats the first.
std::optional<Vec2> FindBorderCrossing(const TrackRows& rows, bool is_closed);

}  // namespace lapforge::tracks
