// Changes to whole tracks that mend or convert them.
#pragma once

#include "tracks/check/examined_rows.h"

namespace lapforge::tracks {

// Puts rows at equal distances along the centerline, about `spacing_m` and at least three; the
// borders are cut at the same fractions between rows.
void Resample(ExaminedRows& rows, double spacing_m);

// Puts the centerline midway between the borders.
void Recenter(ExaminedRows& rows);

// The same track with all coordinates times `factor`.
TrackRows Scaled(TrackRows rows, double factor);

}  // namespace lapforge::tracks
