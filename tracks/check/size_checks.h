// Faults of size: units, widths, length, and bends against the car.
#pragma once

#include "tracks/check/examined_rows.h"

namespace lapforge::tracks {

// Whether the road is as wide as one for this car. Where it is not, a factor is proposed and the
// other checks of size make no sense.
bool CheckUnits(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings);

void CheckWidths(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings);
void CheckLength(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings);

// Corners at one row, bends tighter than the car turns, a start line in a bend.
void CheckBends(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings);

// Curvature of the centerline at each row, left positive, 1/m: the mean over half a metre, as a
// Track's.
std::vector<double> CurvaturesOf(const ExaminedRows& rows);

}  // namespace lapforge::tracks
