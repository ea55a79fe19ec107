// Sections of a road that meet other sections of it.
#pragma once

#include "tracks/check/examined_rows.h"

namespace lapforge::tracks {

// A centerline that crosses itself, and roads that touch or cover each other beyond one bend.
// Changes nothing: where the road should go instead, only its author knows.
void CheckOverlaps(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings);

}  // namespace lapforge::tracks
