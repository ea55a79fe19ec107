// New tracks from a seed: as many as training wants, each sound by construction.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/result.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// What a generated track is like. Zeros stand for values that follow from the others.
struct GeneratorOptions {
  uint64_t seed = 0;
  double length_m = 30;    // 8 .. 500: of the centerline; met within 0.5 %
  double width_m = 0.9;    // 0.5 .. 3: everywhere
  double difficulty = 0.5; // 0: few wide bends .. 1: as many and as tight as the road has room for
  double min_radius_m = 0; // of the centerline, more than half the width; 0: 0.7 width_m, at least 0.5
  double gap_m = 0;        // of field between parts of the road; 0: 0.3 width_m, at least 0.3
  bool is_clockwise = false;
  std::string name;        // empty: "generated_<seed>"
};

// A closed track that turns once around, in the text format of tracks/proto/track.proto: straights
// and bends with eased ends, so that the curvature has no jumps. It begins in the middle of its
// longest straight. Different parts of the road keep their gap; every bend keeps the radius.
//
// The same options give the same text. Its numbers are rounded to a millionth, so that machines
// whose mathematical functions differ in their last bits write the same text too, but for a chance
// of about one in a million; the rows differ as much as those of any .textproto file.
//
// Refuses options out of range, and roads too short for their width or radius. Takes about a
// millisecond for 30 m.
Result<std::string> GenerateTrackText(const GeneratorOptions& options);

// The same as a track.
Result<Track> GenerateTrack(const GeneratorOptions& options);

}  // namespace lapforge::tracks
