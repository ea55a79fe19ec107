// A track's ground as polygons, one paint each.
#pragma once

#include <cstdint>
#include <vector>

#include "tracks/ground_texture.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// What a place of the ground shows.
enum class Paint : uint8_t { kField, kRoad, kCenter, kStart, kBorder };
inline constexpr int kNumPaints = 5;

struct Patch {
  Paint paint = Paint::kField;
  std::vector<Vec2> outline_m;
};

// All patches in the order of painting, each filled where a ray crosses its outline an odd number
// of times; the first is the road as if it had no hole. The pieces of the border are twice as wide
// as the line and lie half outside the road: show them on the road only.
std::vector<Patch> GroundPatches(const Track& track, const GroundStyle& style);

}  // namespace lapforge::tracks
