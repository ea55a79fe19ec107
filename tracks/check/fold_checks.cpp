#include "tracks/check/fold_checks.h"

#include <algorithm>
#include <cmath>

#include "sim/base/strings.h"
#include "tracks/check/touching.h"
#include "tracks/geometry/sanitize_rows.h"

namespace lapforge::tracks {
namespace {

using enum FindingSeverity;

// One of the three lines of a track, and what a loop of it means.
struct Line {
  const char* name;
  std::vector<Vec2>* points_m;
  bool is_border;
};

// A line without vertices that repeat the one before; `row` is each one's index among the rows.
struct SparseLine {
  std::vector<Vec2> points_m;
  std::vector<int> row;

  int size() const { return static_cast<int>(points_m.size()); }
};

SparseLine SparseOf(const std::vector<Vec2>& points_m, bool is_closed) {
  SparseLine line;
  for (size_t i = 0; i < points_m.size(); ++i) {
    if (i > 0 && Length(points_m[i] - line.points_m.back()) <= kSamePoint_m) continue;
    line.points_m.push_back(points_m[i]);
    line.row.push_back(static_cast<int>(i));
  }
  while (is_closed && line.size() > 1 &&
         Length(line.points_m.back() - line.points_m.front()) <= kSamePoint_m) {
    line.points_m.pop_back();
    line.row.pop_back();
  }
  return line;
}

std::vector<Segment> SegmentsOf(const std::vector<Vec2>& points_m, bool is_closed) {
  std::vector<Segment> segments;
  for (size_t i = 0; i + 1 < points_m.size(); ++i) {
    segments.push_back({points_m[i], points_m[i + 1]});
  }
  if (is_closed && points_m.size() > 2) segments.push_back({points_m.back(), points_m.front()});
  return segments;
}

std::vector<Box> BoxesOf(const std::vector<Segment>& segments) {
  std::vector<Box> boxes;
  for (const Segment& segment : segments) {
    boxes.push_back(BoxAround(std::array{segment.a, segment.b}));
  }
  return boxes;
}

// A part of a line that closes on itself: it leaves behind vertex `from` and comes back before the
// vertex behind `to`, both indices of a SparseLine.
struct Loop {
  int from = 0;
  int to = 0;
  Vec2 meeting_m;
  double length_m = 0;  // along the centerline
};

// Loops within a bend, longest first.
std::vector<Loop> FindLoops(const ExaminedRows& rows, const Line& line, const SparseLine& sparse) {
  const std::vector<double> arc_m = rows.ArcLengths();
  const std::vector<Segment> segments = SegmentsOf(sparse.points_m, rows.is_closed);
  const int count = static_cast<int>(segments.size());
  std::vector<Loop> loops;
  VisitTouchingBoxes(BoxesOf(segments), [&](int i, int k) {
    const bool are_neighbors = k == i + 1 || (rows.is_closed && i == 0 && k == count - 1);
    if (are_neighbors || !Touches(segments[i], segments[k])) return;
    const int a = sparse.row[i], b = sparse.row[k];
    const double length_m = DistanceBetween(rows, arc_m, a, b);
    const double limit_m =
        line.is_border ? BendLength(rows, a, b) : std::max(rows.Width(a), rows.Width(b));
    if (length_m > limit_m) return;
    const bool goes_over_end = rows.is_closed && arc_m[b] - arc_m[a] > 0.5 * arc_m.back();
    const Vec2 meeting_m = MeetingPoint(segments[i], segments[k]);
    loops.push_back(goes_over_end ? Loop{k, i, meeting_m, length_m}
                                  : Loop{i, k, meeting_m, length_m});
  });
  std::sort(loops.begin(), loops.end(),
            [](const Loop& a, const Loop& b) { return a.length_m > b.length_m; });
  return loops;
}

// Moves the vertices of a loop onto the way from where it leaves to where it comes back, over the
// place where it closes.
void Unfold(const ExaminedRows& rows, const SparseLine& sparse, const Loop& loop, Line& line) {
  const int before = sparse.row[loop.from];
  const int after = sparse.row[(loop.to + 1) % sparse.size()];
  const int count = rows.Wrap(after - before - 1);
  std::vector<Vec2>& points_m = *line.points_m;
  const Vec2 from_m = points_m[before], to_m = points_m[after];
  const double first_m = Length(loop.meeting_m - from_m);
  const double way_m = first_m + Length(to_m - loop.meeting_m);
  const int corner = static_cast<int>(
      Clamp(std::round(first_m / std::max(way_m, kSamePoint_m) * (count + 1)), 1.0, double(count)));
  for (int i = 1; i <= count; ++i) {
    Vec2& point_m = points_m[rows.Wrap(before + i)];
    point_m = i <= corner ? Lerp(from_m, loop.meeting_m, double(i) / corner)
                          : Lerp(loop.meeting_m, to_m, double(i - corner) / (count + 1 - corner));
  }
}

void CheckLoops(ExaminedRows& rows, Line line, FindingList& findings) {
  const SparseLine sparse = SparseOf(*line.points_m, rows.is_closed);
  std::vector<bool> is_seen(rows.size());
  for (const Loop& loop : FindLoops(rows, line, sparse)) {
    const int first = sparse.row[loop.from];
    const int last = sparse.row[(loop.to + 1) % sparse.size()];
    const int count = rows.Wrap(last - first);
    bool is_part = false;
    for (int i = 0; i <= count; ++i) is_part = is_part || is_seen[rows.Wrap(first + i)];
    if (is_part) continue;  // of a longer loop; what is left of it is found in the mended rows
    for (int i = 0; i <= count; ++i) is_seen[rows.Wrap(first + i)] = true;
    TrackFinding& finding =
        findings.Add(FindingKind::kFold, kWarning, rows, {first, rows.Wrap(last)});
    finding.place_m = loop.meeting_m;
    finding.measured = loop.length_m;
    finding.sentence =
        StrCat("the ", line.name, " folds at ", NameOf(finding.rows),
               line.is_border ? ": the bend is tighter than the road is wide there"
                              : ": it makes a small knot, in which progress counts wrong");
    finding.fix = "unfolded";
    finding.is_mended = true;
    Unfold(rows, sparse, loop, line);
  }
}

// Borders that run backwards beside the centerline though they make no loop.
void CheckBackwards(const ExaminedRows& rows, const Line& line, FindingList& findings) {
  constexpr double kSlip_m = 1e-3;
  std::vector<bool> is_back(rows.size());
  int count = 0;
  for (int i = 0; i < rows.num_segments(); ++i) {
    const Vec2 step = (*line.points_m)[rows.Wrap(i + 1)] - (*line.points_m)[i];
    const Vec2 along = rows.Step(i);
    is_back[i] = Dot(step, along) < -kSlip_m * Length(along);
    count += is_back[i];
  }
  const std::vector<IndexRun> runs = RunsOf(is_back, rows.is_closed);
  if (runs.empty()) return;
  TrackFinding& finding = findings.Add(FindingKind::kBorderBack, kNote, rows,
                                       {runs.front().first, runs.front().last + 1});
  finding.place_m = (*line.points_m)[rows.Wrap(runs.front().first)];
  finding.measured = count;
  finding.sentence =
      StrCat("the ", line.name, " runs backwards beside the centre line at ", NameOf(finding.rows));
  if (runs.size() > 1)
    finding.sentence +=
        StrCat(" and ", runs.size() - 1, " other place", runs.size() == 2 ? "" : "s");
}

// Inner and outer border meeting within a bend: no road is left there.
void CheckMeeting(const ExaminedRows& rows, FindingList& findings) {
  const std::vector<double> arc_m = rows.ArcLengths();
  std::vector<Segment> segments = SegmentsOf(rows.inner_m, rows.is_closed);
  const std::vector<Segment> outer = SegmentsOf(rows.outer_m, rows.is_closed);
  const int num_inner = static_cast<int>(segments.size());
  segments.insert(segments.end(), outer.begin(), outer.end());
  std::vector<bool> meets(rows.size());
  std::vector<Vec2> place_m(rows.size());
  VisitTouchingBoxes(BoxesOf(segments), [&](int i, int k) {
    if (i >= num_inner || k < num_inner || !Touches(segments[i], segments[k])) return;
    if (DistanceBetween(rows, arc_m, i, k - num_inner) > BendLength(rows, i, k - num_inner)) return;
    meets[i] = true;
    place_m[i] = MeetingPoint(segments[i], segments[k]);
  });
  for (const IndexRun run : RunsOf(meets, rows.is_closed)) {
    TrackFinding& finding =
        findings.Add(FindingKind::kBordersCross, kError, rows, {run.first, run.last + 1});
    finding.place_m = place_m[run.first];
    finding.sentence = StrCat("the inner and the outer border meet at ", NameOf(finding.rows),
                              ": no road is left");
  }
}

}  // namespace

void CheckFolds(ExaminedRows& rows, FindingList& findings) {
  const Line lines[] = {{"centre line", &rows.center_m, false},
                        {"inner border", &rows.inner_m, true},
                        {"outer border", &rows.outer_m, true}};
  for (const Line& line : lines) CheckLoops(rows, line, findings);
  CheckBackwards(rows, lines[1], findings);
  CheckBackwards(rows, lines[2], findings);
  CheckMeeting(rows, findings);
}

double DistanceBetween(const ExaminedRows& rows, const std::vector<double>& arc_m, int i, int k) {
  const int first = std::min(i, k), second = std::max(i, k);
  if (first == second) return 0;
  const double way_m = arc_m[second] - arc_m[first + 1];
  if (!rows.is_closed) return way_m;
  return std::min(way_m, arc_m.back() - arc_m[second + 1] + arc_m[first]);
}

double BendLength(const ExaminedRows& rows, int i, int k) {
  return kPi * std::max(rows.Width(i), rows.Width(k));
}

}  // namespace lapforge::tracks
