// Faults of the borders as columns: reversed, exchanged, and a centerline that is not in the
// middle.
#pragma once

#include "tracks/check/examined_rows.h"

namespace lapforge::tracks {

// Borders that run against the centerline; turns them round.
void CheckDirections(ExaminedRows& rows, FindingList& findings);

// Inner and outer exchanged, for some rows or for all; exchanges them.
void CheckExchange(ExaminedRows& rows, FindingList& findings);

// How far the centerline is from the middle of the road. Changes nothing.
void CheckMiddle(const ExaminedRows& rows, FindingList& findings);

// Rows whose centre is not on the road, so that a car put there is off it at once. Recenters.
void CheckOnRoad(ExaminedRows& rows, const TrackRows& like, FindingList& findings);

}  // namespace lapforge::tracks
