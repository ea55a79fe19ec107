// Rows under examination. Each check puts right in this copy what it finds, so that the next one
// does not find it again.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tracks/track_check.h"

namespace lapforge::tracks {

// All finite, of equal length. A ring does not repeat its first row.
struct ExaminedRows {
  std::vector<Vec2> center_m;
  std::vector<Vec2> inner_m;
  std::vector<Vec2> outer_m;
  std::vector<int> row;  // its number in the file
  bool is_closed = false;

  int size() const { return static_cast<int>(center_m.size()); }
  int num_segments() const { return is_closed ? size() : size() - 1; }
  // An index a few places before or behind the ends; an open track has no rows there.
  int Wrap(int i) const { return (i % size() + size()) % size(); }
  bool Has(int i) const { return is_closed || (i >= 0 && i < size()); }

  Vec2 center(int i) const { return center_m[Wrap(i)]; }
  Vec2 Step(int i) const { return center(i + 1) - center(i); }
  double Width(int i) const { return Length(inner_m[Wrap(i)] - outer_m[Wrap(i)]); }
  std::array<std::vector<Vec2>*, 3> Columns() { return {&center_m, &inner_m, &outer_m}; }

  // Along the centerline up to each row, [size + 1]; on a ring the last one is the lap's length.
  std::vector<double> ArcLengths() const;
  double MedianWidth() const;
  double MedianSpacing() const;
  double LongestSpacing() const;

  void Append(const ExaminedRows& from, int i);
  // Without the rows for which `is_dropped` holds, [size].
  void Drop(const std::vector<bool>& is_dropped);
  // Numbers in the file of the rows from index `first` to `last`.
  RowRange RangeOf(int first, int last) const { return {row[Wrap(first)], row[Wrap(last)]}; }
};

// The line goes on from a to b to c without turning by a right angle or more.
inline bool RunsOn(Vec2 a, Vec2 b, Vec2 c) { return Dot(b - a, c - b) > 0; }

// As a file holds them: a ring repeats its first row. Names come from `like`.
TrackRows ToTrackRows(const ExaminedRows& rows, const TrackRows& like);

// "row 7", "rows 7 and 8", "rows 7 to 12".
std::string NameOf(RowRange rows);

// Runs of consecutive indices for which `is_marked` holds, [size]; on a ring a run may go over the
// end, where `first` > `last`.
struct IndexRun {
  int first = 0;
  int last = 0;
};
std::vector<IndexRun> RunsOf(const std::vector<bool>& is_marked, bool is_closed);

// Collects findings and fills in what follows from a row.
class FindingList {
 public:
  // A finding at the row with this index.
  TrackFinding& Add(FindingKind kind, FindingSeverity severity, const ExaminedRows& rows,
                    IndexRun at);
  // A finding about the file as a whole.
  TrackFinding& Add(FindingKind kind, FindingSeverity severity);

  bool Has(FindingKind kind) const;
  bool HasErrors() const;
  std::vector<TrackFinding>& all() { return all_; }
  const std::vector<TrackFinding>& all() const { return all_; }

 private:
  std::vector<TrackFinding> all_;
};

}  // namespace lapforge::tracks
