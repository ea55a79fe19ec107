// The rectangle around a track.
#pragma once

#include "tracks/track.h"

namespace lapforge::tracks {

struct Box {
  Vec2 low_m;
  Vec2 high_m;
};

// The smallest box with all vertices of the centerline and both borders.
Box BoundsOf(const Track& track);

}  // namespace lapforge::tracks
