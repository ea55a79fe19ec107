// What every fuzzed reader owes: a track that can be used, or one line that says why not.
#pragma once

#include <cmath>
#include <string_view>

#include "sim/base/assert.h"
#include "sim/base/log.h"
#include "tracks/track.h"

namespace lapforge::tracks {

inline std::string_view TextOfInput(const uint8_t* data, size_t size) {
  SetLogLevel(LogLevel::kError);
  return {reinterpret_cast<const char*>(data), size};
}

inline void CheckOutcome(const Result<Track>& track) {
  if (!track.ok()) {
    const std::string& message = track.error().message;
    LAPFORGE_ASSERT(!message.empty() && message.size() < 1000, "a line that can be read");
    LAPFORGE_ASSERT(message.find('\n') == std::string::npos, "one line");
    return;
  }
  LAPFORGE_ASSERT(track->length_m() > 0 && std::isfinite(track->length_m()), "a length");
  const TrackPosition place = track->Project(track->waypoint(0).center_m);
  LAPFORGE_ASSERT(std::isfinite(place.arc_length_m), "a place");
  LAPFORGE_ASSERT(std::isfinite(track->Reversed().CurvatureAt(0.5)), "a curvature");
}

}  // namespace lapforge::tracks
