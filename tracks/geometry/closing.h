// Whether a line of points is a ring, for files that do not say so.
#pragma once

#include <span>

#include "tracks/track.h"

namespace lapforge::tracks {

enum class Ends {
  kApart,   // an open line
  kRepeat,  // the last point is the first one again, up to rounding
  kFollow,  // the first point follows the last one as neighbours follow each other
};

// kRepeat: the ends are equal, or no more than 1 um or 2 % of the mean spacing apart. kFollow: they
// are no more than 1.5 times the longest spacing apart, and the way on to the first point does not
// turn back. Both need three different points.
Ends EndsOf(std::span<const Vec2> points);

// Makes the last row equal the first where kRepeat holds in all columns. Returns how far they were
// apart, in the column where it was most; 0 where nothing was changed.
double CloseRepeatedRow(TrackRows& rows);

}  // namespace lapforge::tracks
