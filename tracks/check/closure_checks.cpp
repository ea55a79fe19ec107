#include "tracks/check/closure_checks.h"

#include <algorithm>
#include <cmath>

#include "sim/base/strings.h"

namespace lapforge::tracks {
namespace {

using enum FindingSeverity;

void CloseWithRows(ExaminedRows& rows, double gap_m) {
  const int last = rows.size() - 1;
  const int num_new = static_cast<int>(std::ceil(gap_m / rows.LongestSpacing())) - 1;
  rows.is_closed = true;
  for (int i = 1; i <= num_new; ++i) {
    const double share = static_cast<double>(i) / (num_new + 1);
    for (std::vector<Vec2>* column : rows.Columns()) {
      column->push_back(Lerp((*column)[last], column->front(), share));
    }
    rows.row.push_back(rows.row[last]);
  }
}

// True for the first row behind the start line, but as near to row 0 as rows are.
bool IsBehindStart(const ExaminedRows& rows, int i, double reach_m) {
  constexpr double kRounding_m = 1e-6;
  const Vec2 along = rows.Step(0);
  const double step_m = Length(along);
  const Vec2 from_start_m = rows.center(i) - rows.center(0);
  const double ahead_m = Dot(from_start_m, along) / step_m;
  const double aside_m = Cross(along, from_start_m) / step_m;
  return ahead_m >= -kRounding_m && ahead_m <= std::max(step_m, Length(rows.Step(i - 1))) &&
         std::abs(aside_m) <= reach_m && Dot(rows.Step(i), along) > 0;
}

// The row from which on the line goes along its own begin, up to its end; the size where there is
// none.
int FindSecondLap(const ExaminedRows& rows, const std::vector<double>& arc_m) {
  const double reach_m = 0.5 * rows.MedianWidth();
  const double spacing_m = rows.LongestSpacing();
  const double min_lap_m = std::max(4 * rows.MedianWidth(), 8 * rows.MedianSpacing());
  const int size = rows.size();
  for (int i = 4; i + 1 < size; ++i) {
    if (arc_m[i] < min_lap_m || !IsBehindStart(rows, i, reach_m)) continue;
    // every row behind lies beside the place as far along the first lap
    bool goes_along = true;
    int beside = 0;
    for (int k = i; k < size && goes_along; ++k) {
      const double wanted_m = std::fmod(arc_m[k] - arc_m[i], arc_m[i]);
      if (arc_m[beside] > wanted_m) beside = 0;
      while (beside + 1 < i && arc_m[beside + 1] <= wanted_m) ++beside;
      goes_along = Length(rows.center(k) - rows.center(beside)) <= reach_m + spacing_m;
    }
    if (goes_along) return i;
  }
  return size;
}

}  // namespace

void CheckLaps(ExaminedRows& rows, FindingList& findings) {
  const std::vector<double> arc_m = rows.ArcLengths();
  const int first = FindSecondLap(rows, arc_m);
  if (first == rows.size()) return;
  TrackFinding& finding =
      findings.Add(FindingKind::kSecondLap, kError, rows, {first, rows.size() - 1});
  finding.measured = arc_m[rows.size() - 1] - arc_m[first];
  finding.sentence =
      StrCat("the line goes on over its own begin: a lap ends before row ", finding.rows.first,
             ", ", FormatFixed(finding.measured, 2), " m are too much");
  finding.fix = "dropped and closed";
  finding.is_mended = true;
  std::vector<bool> is_dropped(rows.size());
  std::fill(is_dropped.begin() + first, is_dropped.end(), true);
  rows.Drop(is_dropped);
  rows.is_closed = true;
}

void CheckClosure(ExaminedRows& rows, FindingList& findings) {
  constexpr double kMaxGapFrac = 0.1;  // of the track, where the ends point at each other
  if (rows.is_closed) return;
  const int last = rows.size() - 1;
  const double gap_m = Length(rows.center(last) - rows.center(0));
  const double longest_m = rows.LongestSpacing();
  const bool is_repeat = last >= 3 && gap_m <= 0.5 * rows.MedianSpacing();
  const bool is_aligned = RunsOn(rows.center(last - 1), rows.center(last), rows.center(0)) &&
                          RunsOn(rows.center(last), rows.center(0), rows.center(1));
  const bool is_near =
      last >= 3 && is_aligned &&
      (gap_m <= 1.5 * longest_m || gap_m <= kMaxGapFrac * rows.ArcLengths().back());
  if (!is_repeat && !is_near) {
    TrackFinding& finding = findings.Add(FindingKind::kOpen, kNote);
    finding.measured = gap_m;
    finding.place_m = rows.center(last);
    finding.sentence =
        StrCat("the track is open: its ends are ", FormatFixed(gap_m, 2),
               " m apart, a lap is one way; a closed one repeats its first row at the end");
    return;
  }
  TrackFinding& finding = findings.Add(FindingKind::kNearlyClosed, kWarning, rows, {last, last});
  finding.measured = gap_m;
  finding.sentence =
      is_repeat ? StrCat(
                      "the last row almost repeats the first, but not in all columns and "
                      "digits, so the track counts as open")
                : StrCat("the ends are ", FormatFixed(gap_m, 3),
                         " m apart, so the track counts as open; a closed one repeats its first "
                         "row at the end");
  finding.fix = "closed";
  finding.is_mended = true;
  if (is_repeat) {
    for (std::vector<Vec2>* column : rows.Columns()) column->pop_back();
    rows.row.pop_back();
    rows.is_closed = true;
  } else {
    CloseWithRows(rows, gap_m);
  }
}

}  // namespace lapforge::tracks
