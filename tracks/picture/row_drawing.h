// Rows of a file as they are, and marks where something is wrong with them.
#pragma once

#include <span>

#include "tracks/canvas.h"
#include "tracks/picture/layout.h"
#include "tracks/track_picture.h"

namespace lapforge::tracks {

// The rows that can be drawn: finite, and not so far from most that these would vanish.
TrackRows DrawableRows(const TrackRows& rows);

// Holds the rows and those marks that lie near them.
Layout LayoutOf(const TrackRows& rows, std::span<const PictureMark> marks, int width_px);

void DrawRows(const TrackRows& rows, const Layout& layout, Canvas& canvas);

// A ring around each place and its label; marks at one place share a ring, their labels stand side
// by side.
void DrawMarks(std::span<const PictureMark> marks, const Layout& layout, Canvas& canvas);

}  // namespace lapforge::tracks
