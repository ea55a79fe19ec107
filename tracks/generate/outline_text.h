// Generated roads as track files.
#pragma once

#include <string>
#include <vector>

#include "tracks/generate/corner_path.h"
#include "tracks/track_generator.h"

namespace lapforge::tracks {

// The road as a .textproto that begins in the middle of its longest straight.
std::string OutlineText(const GeneratorOptions& options, std::vector<Bend> bends);

}  // namespace lapforge::tracks
