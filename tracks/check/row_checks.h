// Faults of single rows and of their order: numbers, repeats, swaps, steps back, spacing.
#pragma once

#include "tracks/check/examined_rows.h"

namespace lapforge::tracks {

// The rows that are places; moved to the origin where all are far from it. None where the columns
// differ in length.
ExaminedRows TakeRows(const TrackRows& file, FindingList& findings);

// Drops rows that repeat the one before.
void CheckRepeats(ExaminedRows& rows, FindingList& findings);

// Reverses blocks that run backwards, drops rows that step back.
void CheckOrder(ExaminedRows& rows, FindingList& findings);

// More rows than a Track takes; puts fewer in their place.
void CheckNumber(ExaminedRows& rows, FindingList& findings);

// Rows too far apart, too close, uneven. Changes nothing.
void CheckSpacing(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings);

}  // namespace lapforge::tracks
