// Lines that cross themselves or each other within a bend.
#pragma once

#include "tracks/check/examined_rows.h"

namespace lapforge::tracks {

// Loops of a border, or small knots of the centerline, that close within one bend; unfolds them by
// cutting the loop off where it closes. Also tells of borders that run backwards without a loop,
// and of inner and outer borders that meet.
void CheckFolds(ExaminedRows& rows, FindingList& findings);

// How much of the centerline lies between the segments from row i and from row k, the short way
// round on a ring; 0 for neighbours.
double DistanceBetween(const ExaminedRows& rows, const std::vector<double>& arc_m, int i, int k);

// Segments nearer than this belong to one bend: half a turn around the inner border of a wide road.
double BendLength(const ExaminedRows& rows, int i, int k);

}  // namespace lapforge::tracks
