// Whether the ends of a line meet as those of a lap.
#pragma once

#include "tracks/check/examined_rows.h"

namespace lapforge::tracks {

// A line that goes on over its own begin, as one driven for more than a lap; drops what is too
// much.
void CheckLaps(ExaminedRows& rows, FindingList& findings);

// Ends that almost meet; makes a ring of them. Tells of an open track.
void CheckClosure(ExaminedRows& rows, FindingList& findings);

}  // namespace lapforge::tracks
