#include "tracks/check/row_checks.h"

#include <algorithm>
#include <cmath>

#include "sim/base/strings.h"
#include "tracks/check/reshape.h"
#include "tracks/geometry/polyline.h"
#include "tracks/geometry/sanitize_rows.h"
#include "tracks/geometry/track_geometry.h"

namespace lapforge::tracks {
namespace {

using enum FindingSeverity;

constexpr double kMaxMapCoordinate_m = 1e9;  // doubles resolve a micrometre there

bool IsWithin(Vec2 point, double limit) {
  return std::abs(point.x) <= limit && std::abs(point.y) <= limit;  // false for NaN
}

// A place that represents all: medians do not mind a few wild rows.
Vec2 MedianPlace(const std::vector<Vec2>& points) {
  std::vector<double> x, y;
  for (const Vec2 point : points) {
    if (!IsWithin(point, kMaxMapCoordinate_m)) continue;
    x.push_back(point.x);
    y.push_back(point.y);
  }
  if (x.empty()) return {};
  const auto middle = static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), x.begin() + middle, x.end());
  std::nth_element(y.begin(), y.begin() + middle, y.end());
  return {std::round(x[middle]), std::round(y[middle])};
}

// What must be taken off map coordinates.
Vec2 FindOrigin(const TrackRows& file, FindingList& findings) {
  const Vec2 middle_m = MedianPlace(file.center_m);
  if (IsWithin(middle_m, kMaxCoordinate_m)) return {};
  TrackFinding& finding = findings.Add(FindingKind::kFarFromOrigin, kError);
  finding.measured = Length(middle_m);
  finding.expected = kMaxCoordinate_m;
  finding.sentence = StrCat("the track lies around x = ", FormatFixed(middle_m.x, 0),
                            ", y = ", FormatFixed(middle_m.y, 0),
                            ": map coordinates, too large for exact geometry");
  finding.fix = "moved to the origin";
  finding.is_mended = true;
  return middle_m;
}

// `num_before`: how many good rows there are before these bad ones.
void AddNoPlaces(const ExaminedRows& good, RowRange bad, int num_before, FindingList& findings) {
  TrackFinding& finding = findings.Add(FindingKind::kNotAPlace, kError);
  finding.rows = bad;
  if (good.size() > 0) {
    const int at = std::max(num_before - 1, 0);
    finding.place_m = good.center(at);
    finding.arc_length_m = good.ArcLengths()[at];
  }
  finding.measured = bad.last - bad.first + 1;
  finding.expected = kMaxCoordinate_m;
  finding.sentence =
      StrCat(NameOf(bad), bad.first == bad.last ? " holds" : " hold",
             " numbers that are no places: expected metres, at most ", kMaxCoordinate_m);
  finding.fix = "dropped";
  finding.is_mended = true;
}

bool IsSharp(const ExaminedRows& rows, int i) {
  return rows.Has(i - 1) && rows.Has(i + 1) &&
         !RunsOn(rows.center(i - 1), rows.center(i), rows.center(i + 1));
}

// Whether the line would run on from row `from` to row `to` without those between.
bool RunsOnAcross(const ExaminedRows& rows, int from, int to) {
  if (!rows.Has(from) || !rows.Has(to)) return false;
  const Vec2 a = rows.center(from), b = rows.center(to);
  return (!rows.Has(from - 1) || RunsOn(rows.center(from - 1), a, b)) &&
         (!rows.Has(to + 1) || RunsOn(a, b, rows.center(to + 1)));
}

// Whether the line runs on, and is shorter, with the rows from `first` to `last` in reverse order.
bool IsBetterReversed(const ExaminedRows& rows, int first, int last) {
  if (!rows.Has(first - 1) || !rows.Has(last + 1)) return false;
  const Vec2 before = rows.center(first - 1), after = rows.center(last + 1);
  const Vec2 a = rows.center(first), b = rows.center(last);
  const double now_m = Length(a - before) + Length(after - b);
  const double then_m = Length(b - before) + Length(after - a);
  return then_m < now_m && RunsOn(before, b, rows.center(last - 1)) &&
         RunsOn(rows.center(first + 1), a, after);
}

void Reverse(ExaminedRows& rows, int first, int last) {
  for (std::vector<Vec2>* column : rows.Columns()) {
    for (int i = first, k = last; i < k; ++i, --k) {
      std::swap((*column)[rows.Wrap(i)], (*column)[rows.Wrap(k)]);
    }
  }
}

bool MendReversed(ExaminedRows& rows, int first, int last, FindingList& findings) {
  if (!IsBetterReversed(rows, first, last)) return false;
  const bool is_swap = last == first + 1;
  TrackFinding& finding =
      findings.Add(FindingKind::kReversedRows, is_swap ? kWarning : kError, rows, {first, last});
  finding.measured = last - first + 1;
  finding.sentence =
      StrCat(NameOf(finding.rows), is_swap ? " are swapped" : " are in reverse order");
  finding.fix = "put in order";
  finding.is_mended = true;
  Reverse(rows, first, last);
  return true;
}

// Drops as few rows as possible at a place where the line goes back and forth, between the sharp
// turns at `turn` and `turn_back`. Longer ways back than the road is wide are no slip of a row.
bool MendBackStep(ExaminedRows& rows, int turn, int turn_back, FindingList& findings) {
  double way_m = 0;
  for (int i = turn; i < turn_back; ++i) way_m += Length(rows.Step(i));
  const bool goes_on_as_before =
      Dot(rows.Step(turn - 1), rows.Has(turn_back + 1) ? rows.Step(turn_back) : Vec2{}) > 0;
  if (!goes_on_as_before || way_m > std::max(rows.MedianWidth(), 4 * rows.MedianSpacing())) {
    return false;
  }
  for (int count = 1; count <= rows.size() / 4; ++count) {
    const bool without_before = RunsOnAcross(rows, turn - count, turn + 1);
    const bool without_behind = RunsOnAcross(rows, turn, turn + count + 1);
    if (!without_before && !without_behind) continue;
    const IndexRun dropped =
        without_before ? IndexRun{turn - count + 1, turn} : IndexRun{turn + 1, turn + count};
    TrackFinding& finding = findings.Add(FindingKind::kBackStep, kWarning, rows, dropped);
    finding.measured = way_m;
    finding.sentence = StrCat("the line steps back by ", FormatFixed(way_m, 3), " m at ",
                              NameOf(finding.rows), ": progress counts this way twice");
    finding.fix = "dropped";
    finding.is_mended = true;
    std::vector<bool> is_dropped(rows.size());
    for (int i = dropped.first; i <= dropped.last; ++i) is_dropped[rows.Wrap(i)] = true;
    rows.Drop(is_dropped);
    return true;
  }
  return false;
}

// The next sharp turn behind one, or `turn` itself where there is none nearby.
int NextSharp(const ExaminedRows& rows, int turn) {
  for (int i = turn + 1; i < turn + rows.size() / 2 && rows.Has(i + 1); ++i) {
    if (IsSharp(rows, i)) return i;
  }
  return turn;
}

void NoteSpacing(FindingKind kind, const ExaminedRows& rows, int at, std::string sentence,
                 FindingList& findings) {
  TrackFinding& finding = findings.Add(kind, kNote, rows, {at, at});
  finding.measured = Length(rows.Step(at));
  finding.sentence = std::move(sentence);
  finding.fix = "--spacing M puts rows at equal distances";
}

}  // namespace

ExaminedRows TakeRows(const TrackRows& file, FindingList& findings) {
  ExaminedRows rows;
  const size_t num_rows = file.center_m.size();
  if (file.inner_m.size() != num_rows || file.outer_m.size() != num_rows) {
    findings.Add(FindingKind::kColumns, kError).sentence =
        StrCat(num_rows, " centre points, ", file.inner_m.size(), " inner and ",
               file.outer_m.size(), " outer ones; every row needs all three");
    return rows;
  }
  const Vec2 origin_m = FindOrigin(file, findings);
  std::vector<bool> is_bad(num_rows);
  std::vector<int> num_before(num_rows);  // rows that are kept, before each
  for (size_t i = 0; i < num_rows; ++i) {
    const Vec2 center_m = file.center_m[i] - origin_m;
    const Vec2 inner_m = file.inner_m[i] - origin_m, outer_m = file.outer_m[i] - origin_m;
    num_before[i] = rows.size();
    is_bad[i] = !IsWithin(center_m, kMaxCoordinate_m) || !IsWithin(inner_m, kMaxCoordinate_m) ||
                !IsWithin(outer_m, kMaxCoordinate_m);
    if (is_bad[i]) continue;
    rows.center_m.push_back(center_m);
    rows.inner_m.push_back(inner_m);
    rows.outer_m.push_back(outer_m);
    rows.row.push_back(static_cast<int>(i));
  }
  for (const IndexRun run : RunsOf(is_bad, false)) {
    AddNoPlaces(rows, {run.first, run.last}, num_before[run.first], findings);
  }
  if (rows.size() < 2) return rows;
  rows.is_closed = IsClosed(ToTrackRows(rows, file));
  if (rows.is_closed) {
    for (std::vector<Vec2>* column : rows.Columns()) column->pop_back();
    rows.row.pop_back();
  }
  return rows;
}

void CheckRepeats(ExaminedRows& rows, FindingList& findings) {
  std::vector<bool> is_repeat(rows.size());
  Vec2 kept_m = rows.center(0);
  for (int i = 1; i < rows.size(); ++i) {
    is_repeat[i] = Length(rows.center(i) - kept_m) <= kSamePoint_m;
    if (!is_repeat[i]) kept_m = rows.center(i);
  }
  if (rows.is_closed && Length(rows.center(0) - kept_m) <= kSamePoint_m) {
    is_repeat[rows.size() - 1] = rows.size() > 1;
  }
  for (const IndexRun run : RunsOf(is_repeat, false)) {
    TrackFinding& finding = findings.Add(FindingKind::kRepeatedRow, kNote, rows, run);
    finding.measured = run.last - run.first + 1;
    finding.sentence = run.first == run.last
                           ? StrCat("row ", finding.rows.first,
                                    " repeats the centre of the row beside it and is skipped")
                           : StrCat(NameOf(finding.rows),
                                    " repeat the centre of the row beside them and are skipped");
    finding.fix = "dropped";
    finding.is_mended = true;
  }
  rows.Drop(is_repeat);
}

void CheckOrder(ExaminedRows& rows, FindingList& findings) {
  for (int i = 0; i < rows.size() && rows.size() > 4; ++i) {
    if (!IsSharp(rows, i)) continue;
    const int next = NextSharp(rows, i);
    if (next == i) continue;
    if (MendReversed(rows, i, next, findings) || MendBackStep(rows, i, next, findings)) {
      i = std::max(i - 3, -1);
    }
  }
}

void CheckNumber(ExaminedRows& rows, FindingList& findings) {
  const int num_rows = rows.size() + (rows.is_closed ? 1 : 0);
  if (num_rows <= Polyline::kMaxVertices) return;
  TrackFinding& finding = findings.Add(FindingKind::kTooManyRows, kError);
  finding.measured = num_rows;
  finding.expected = Polyline::kMaxVertices;
  finding.sentence = StrCat(num_rows, " rows; a track has at most ", Polyline::kMaxVertices);
  finding.fix = "rows at larger distances";
  finding.is_mended = true;
  constexpr double kShare = 0.8;  // of the most, so that other fixes have room
  Resample(rows, rows.ArcLengths().back() / (kShare * Polyline::kMaxVertices));
}

void CheckSpacing(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings) {
  constexpr double kUneven = 3;
  constexpr double kFine_m = 0.01;
  const double median_m = rows.MedianSpacing();
  int longest = 0, shortest = 0;
  for (int i = 0; i < rows.num_segments(); ++i) {
    if (Length(rows.Step(i)) > Length(rows.Step(longest))) longest = i;
    if (Length(rows.Step(i)) < Length(rows.Step(shortest))) shortest = i;
  }
  const double longest_m = Length(rows.Step(longest)), shortest_m = Length(rows.Step(shortest));
  if (longest_m > limits.max_spacing_m) {
    NoteSpacing(FindingKind::kCoarseRows, rows, longest,
                StrCat("rows are up to ", FormatFixed(longest_m, 2),
                       " m apart; rewards that look at waypoints see little between them"),
                findings);
    findings.all().back().expected = limits.max_spacing_m;
  } else if (longest_m > kUneven * median_m || shortest_m * kUneven < median_m) {
    const bool is_long = longest_m > kUneven * median_m;
    NoteSpacing(FindingKind::kUnevenRows, rows, is_long ? longest : shortest,
                StrCat("rows are ", FormatFixed(shortest_m, 3), " to ", FormatFixed(longest_m, 3),
                       " m apart, mostly ", FormatFixed(median_m, 3), " m"),
                findings);
    findings.all().back().expected = median_m;
  }
  if (median_m < kFine_m) {
    NoteSpacing(FindingKind::kFineRows, rows, shortest,
                StrCat("rows are ", FormatFixed(1000 * median_m, 1),
                       " mm apart: more than needed, and slow to load"),
                findings);
    findings.all().back().expected = kFine_m;
  }
}

}  // namespace lapforge::tracks
