// The values of driven lines along the track, as curves below its picture.
#pragma once

#include <span>

#include "tracks/canvas.h"
#include "tracks/picture/layout.h"
#include "tracks/picture/legend.h"
#include "tracks/track_picture.h"

namespace lapforge::tracks {

// Height of the part of a picture that holds the curves.
double ProfileHeightPx(const Layout& layout);

// Draws below the layout's own height; the way counts from each line's first point.
void DrawProfile(const Track& track, std::span<const DrivenLine> lines, const ColorScale& scale,
                 const Layout& layout, Canvas& canvas);

}  // namespace lapforge::tracks
