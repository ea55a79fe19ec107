// Lapforge's own track files, written.
#pragma once

#include <string>

#include "tracks/track.h"

namespace lapforge::tracks {

// The .textproto of a track, point by point with its borders; reading it gives the same bits.
std::string TextprotoFromTrack(const Track& track);

}  // namespace lapforge::tracks
