// New tracks from a seed: as many as training wants, each sound by construction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/option_fields.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// What a generated track is like.
struct GeneratorOptions {
  uint64_t seed = 0;
  double length_m = 30;  // 8 .. 500: of the centerline; met within 0.5 %
  double width_m = 0.9;  // 0.5 .. 3: everywhere
  double difficulty =
      0.5;  // 0: a few wide bends .. 1: as many and as tight ones as there is room for
  double min_radius_m = 0;  // of the centerline, 0.55 width_m .. 40; 0: 0.7 width_m, at least 0.5
  double gap_m = 0;  // of field between parts of the road, to 20; 0: 0.3 width_m, at least 0.3
  bool is_clockwise = false;
  std::string name;  // empty: "generated_<seed>"
};

void VisitFields(GeneratorOptions& options, FieldVisitor& visitor);

struct GeneratedTrack {
  Track track;
  std::string text;  // the same in the format of tracks/proto/track.proto
  int num_bends = 0;
  double min_radius_m = 0;  // of the tightest bend
};

// A closed track that turns once around: straights, and bends with eased ends, so that the
// curvature has no jumps. It begins in the middle of its longest straight. Every bend keeps the
// least radius (at least half of width and gap together), and different parts of the road keep the
// gap.
//
// The same options give the same text. Its numbers are rounded to a millionth, so that machines
// whose sines differ in the last bit write the same text too, but for the rare number on the edge
// of rounding; rows read from it differ as those of any .textproto file do.
//
// Refuses options out of range, and a road too short for its width, radius and gap. Takes
// milliseconds for 30 m; for 500 m mostly the time of any track with so many rows.
Result<GeneratedTrack> GenerateTrack(const GeneratorOptions& options);

// Options as words: "seed=7,length_m=40,difficulty=0.5".
Result<GeneratorOptions> ParseGeneratorOptions(std::string_view text);

}  // namespace lapforge::tracks
