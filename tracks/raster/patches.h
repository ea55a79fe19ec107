// A track's ground as polygons, one paint each.
#pragma once

#include <cstdint>
#include <vector>

#include "tracks/ground_texture.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// In the order of painting: later ones lie on top.
enum class Paint : uint8_t { kField, kRoad, kCenter, kStart, kBorder };
inline constexpr int kNumPaints = 5;

struct Patch {
  Paint paint = Paint::kField;
  std::vector<Vec2> outline_m;
};

// Everything but the field, in the order of painting. The road comes piece by piece, so that
// sections that overlap and borders that fold cannot cancel each other. The pieces of the border
// are twice as wide as the line and lie half outside the road: show them on the road only.
std::vector<Patch> GroundPatches(const Track& track, const GroundStyle& style);

}  // namespace lapforge::tracks
