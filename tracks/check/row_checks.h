// Faults of single rows and of their order: numbers, repeats, swaps, steps back, closure, spacing.
#pragma once

#include "tracks/check/examined_rows.h"

namespace lapforge::tracks {

// The rows that are places; moved to the origin where all are far from it. None where the columns
// differ in length.
ExaminedRows TakeRows(const TrackRows& file, FindingList& findings);

// Makes a ring of a line whose ends almost meet.
void CheckClosure(ExaminedRows& rows, FindingList& findings);

// Drops rows that repeat the one before.
void CheckRepeats(ExaminedRows& rows, FindingList& findings);

// Reverses blocks that run backwards, drops rows that step back.
void CheckOrder(ExaminedRows& rows, FindingList& findings);

// Too many, too far apart, too close, uneven. Mends too many only.
void CheckSpacing(ExaminedRows& rows, const CheckLimits& limits, FindingList& findings);

}  // namespace lapforge::tracks
