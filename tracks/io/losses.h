// What a track loses on its way through a file.
#pragma once

#include <string>
#include <vector>

#include "tracks/track.h"

namespace lapforge::tracks {

// One line for each thing that differs between a track and what was read back: lines moved by more
// than 1 um, direction, start, closure, sides, description. Empty where nothing was lost. Takes
// time with the square of the rows: 0.4 s for 5000.
std::vector<std::string> LossesBetween(const Track& track, const Track& reread);

}  // namespace lapforge::tracks
