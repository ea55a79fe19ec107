// Finds what is wrong with the rows of a track file, says it in plain words, and mends it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/math.h"
#include "sim/base/result.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// What a track must fit: plain numbers, so that a car's owner fills them. The defaults are those of
// the built-in 1/18 car.
struct CheckLimits {
  double turning_radius_m = 0.284;  // of the car at full lock
  double car_length_m = 0.3235;
  double car_width_m = 0.1961;
  double min_width_m = 0.4;    // a road narrower than this is doubtful; than the car, an error
  double max_width_m = 4;      // wider is doubtful; public tracks have at most 2 m
  double max_spacing_m = 2;    // of rows; public tracks have at most 1 m
  double max_length_m = 1000;  // public tracks have at most 101 m
};

// Errors make racing impossible or meaningless; warnings are doubtful; notes are good to know.
enum class FindingSeverity { kNote, kWarning, kError };

enum class FindingKind {
  // rows
  kColumns,        // centre, inner and outer differ in length
  kTooFewRows,     // no two different places
  kTooManyRows,    // more than a Track takes
  kNotAPlace,      // NaN, infinite or absurdly large numbers
  kFarFromOrigin,  // map coordinates
  kRepeatedRow,    // the same centre as the row before
  kReversedRows,   // two neighbours swapped, or a longer block in the wrong order
  kBackStep,       // the line goes back and forth
  kSecondLap,      // the line goes on over its own begin
  kNearlyClosed,   // the ends almost meet
  kOpen,           // the ends do not meet
  kCoarseRows,     // far apart
  kUnevenRows,     // distances differ much
  kFineRows,       // very close
  // size
  kUnits,  // centimetres, or another size of car
  kTooShort,
  kTooLong,
  kNarrow,
  kWide,
  kWidthJump,
  // line
  kCorner,     // a sharp turn at one row
  kTightBend,  // tighter than the car can turn
  kStartInBend,
  kOffCenter,  // not midway between the borders
  kOffRoad,    // the centre is not on the road
  kCrossing,   // a figure eight
  // borders
  kReversedBorder,  // runs against the other lines
  kExchanged,       // inner and outer, everywhere or for some rows
  kFold,            // a line crosses itself within a bend
  kBorderBack,      // a border runs backwards beside the centre, without crossing itself
  kBordersCross,    // inner and outer meet beside each other
  kTouch,           // two sections of the road share a border
  kOverlap,         // two sections of the road lie over each other
};

// Numbers of rows in the file, from 0; -1: none. `first` > `last` goes over the end of a ring.
struct RowRange {
  int first = -1;
  int last = -1;
};

struct TrackFinding {
  FindingKind kind = FindingKind::kColumns;
  FindingSeverity severity = FindingSeverity::kNote;
  RowRange rows;            // none: the whole track
  RowRange other_rows;      // of the section that is crossed or covered
  double arc_length_m = 0;  // along the centerline, from the first row
  Vec2 place_m;             // to be marked in a picture
  double measured = 0;      // metres, radii and widths included; corners in degrees; rows
  double expected = 0;      // the limit in the same unit, 0 where there is none
  std::string sentence;     // one line: what is wrong
  std::string fix;          // one line: what mends it
  bool is_mended = false;   // MendRows does so by itself
};

// "error", and the kind in words: "swapped-rows". For files and terminals.
std::string_view NameOf(FindingSeverity severity);
std::string_view NameOf(FindingKind kind);

// Everything found, in the order of the rows; errors first. Takes any rows, also those that
// Track::FromRows refuses. Each fault is found on rows in which those before it are mended, so that
// one fault is said once. Time grows as N log N on real tracks: some 30 ms for 10,000 rows.
std::vector<TrackFinding> CheckRows(const TrackRows& rows, const CheckLimits& limits);

// The most severe of all; kNote where there is none.
FindingSeverity WorstOf(const std::vector<TrackFinding>& findings);

// What to do besides mending errors.
struct MendOptions {
  double scale = 1;       // of all coordinates, before all else; > 0
  bool recenter = false;  // put the centerline midway between the borders
  double spacing_m = 0;   // > 0: rows at equal distances, about this
};

struct MendedRows {
  TrackRows rows;
  std::vector<std::string> done;   // one line for each change; empty: nothing was changed
  std::vector<TrackFinding> left;  // of the mended rows: no error among them
};

// A copy that passes the check: drops, orders, closes, exchanges, unfolds and recenters as needed.
// An error says what cannot be mended.
Result<MendedRows> MendRows(const TrackRows& rows, const CheckLimits& limits,
                            const MendOptions& options);

// What a picture or a line of text tells of rows, sound or not.
struct RowFacts {
  int num_rows = 0;  // that are places, the closing one included
  double length_m = 0;
  double min_width_m = 0;
  double max_width_m = 0;
  double min_radius_m = 0;  // of the centerline over half a metre; 1e9 where it is straight
  bool is_closed = false;
  bool is_counter_clockwise = true;
};
RowFacts FactsOf(const TrackRows& rows);

}  // namespace lapforge::tracks
