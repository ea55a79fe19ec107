#include "tracks/check/overlap_checks.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/base/strings.h"
#include "tracks/check/fold_checks.h"
#include "tracks/check/touching.h"

namespace lapforge::tracks {
namespace {

using enum FindingSeverity;

constexpr double kWide_m = 1e9;

// Pairs of sections that meet, put together while both go on.
struct Meeting {
  IndexRun rows;
  IndexRun other_rows;
  Vec2 place_m;             // the worst one
  double covered_m = 0;     // most of a cross-section that lies under the other section
  double free_m = kWide_m;  // what is left of the road there
};

bool AreBeside(const IndexRun& a, const IndexRun& b) {
  constexpr int kGap = 3;  // rows that may be missing between
  return a.first <= b.last + kGap && b.first <= a.last + kGap;
}

IndexRun Joined(const IndexRun& a, const IndexRun& b) {
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

IndexRun Shifted(const IndexRun& run, int shift) { return {run.first + shift, run.last + shift}; }

// `added` in other words, such that it continues `meeting`: its two sections change places, or lie
// a lap (of `period` rows) ahead or behind.
std::optional<Meeting> Continuing(const Meeting& meeting, const Meeting& added, int period) {
  for (const bool is_swapped : {false, true}) {
    const IndexRun& rows = is_swapped ? added.other_rows : added.rows;
    const IndexRun& other_rows = is_swapped ? added.rows : added.other_rows;
    for (const int shift : {0, -period, period}) {
      if (!AreBeside(meeting.rows, Shifted(rows, shift))) continue;
      for (const int other_shift : {0, -period, period}) {
        if (!AreBeside(meeting.other_rows, Shifted(other_rows, other_shift))) continue;
        Meeting same = added;
        same.rows = Shifted(rows, shift);
        same.other_rows = Shifted(other_rows, other_shift);
        return same;
      }
    }
  }
  return {};
}

// Meetings of the road, each pair added to the one that it continues.
class MeetingList {
 public:
  explicit MeetingList(const ExaminedRows& rows) : period_(rows.is_closed ? rows.size() : 0) {}

  void Add(const Meeting& added) {
    for (Meeting& meeting : meetings_) {
      const std::optional<Meeting> same = Continuing(meeting, added, period_);
      if (!same) continue;
      const Meeting& worst = same->free_m < meeting.free_m ? *same : meeting;
      meeting = {Joined(meeting.rows, same->rows), Joined(meeting.other_rows, same->other_rows),
                 worst.place_m, worst.covered_m, worst.free_m};
      return;
    }
    meetings_.push_back(added);
  }

  // Joins those that grew together (pairs come in the order of a sweep) and sorts them by rows.
  std::vector<Meeting> Finish() {
    size_t num_before = 0;
    while (num_before != meetings_.size()) {
      num_before = meetings_.size();
      std::vector<Meeting> parts;
      std::swap(parts, meetings_);
      for (const Meeting& part : parts) Add(part);
    }
    std::sort(meetings_.begin(), meetings_.end(),
              [](const Meeting& a, const Meeting& b) { return a.rows.first < b.rows.first; });
    return std::move(meetings_);
  }

 private:
  int period_;
  std::vector<Meeting> meetings_;
};

// Whether one of `meetings` is at the same place.
bool IsAmong(const std::vector<Meeting>& meetings, const Meeting& wanted,
             const ExaminedRows& rows) {
  return std::any_of(meetings.begin(), meetings.end(), [&](const Meeting& meeting) {
    return Continuing(meeting, wanted, rows.is_closed ? rows.size() : 0).has_value();
  });
}

// The road between two rows.
class Cell {
 public:
  Cell(const ExaminedRows& rows, int i) {
    const int next = rows.Wrap(i + 1);
    begin_ = {rows.inner_m[i], rows.outer_m[i]};
    end_ = {rows.inner_m[next], rows.outer_m[next]};
  }

  Box box() const { return BoxAround(std::array{begin_.a, begin_.b, end_.a, end_.b}); }
  std::array<Triangle, 2> Halves() const {
    return {Triangle{begin_.a, begin_.b, end_.a}, Triangle{begin_.b, end_.b, end_.a}};
  }
  // Straight across the road, at a fraction between the rows.
  Segment CrossSection(double fraction) const {
    return {Lerp(begin_.a, end_.a, fraction), Lerp(begin_.b, end_.b, fraction)};
  }
  double length_m() const { return std::max(Length(end_.a - begin_.a), Length(end_.b - begin_.b)); }

 private:
  Segment begin_, end_;
};

bool Touches(const Cell& one, const Cell& other) {
  for (const Triangle& a : one.Halves()) {
    for (const Triangle& b : other.Halves()) {
      if (Touches(a, b)) return true;
    }
  }
  return false;
}

// Which parts of a cross-section lie under other sections.
class Coverage {
 public:
  void Add(double from, double to) {
    // joined with the parts that it meets
    std::erase_if(parts_, [&](const std::pair<double, double>& part) {
      if (part.second < from || part.first > to) return false;
      from = std::min(from, part.first);
      to = std::max(to, part.second);
      return true;
    });
    parts_.insert(std::upper_bound(parts_.begin(), parts_.end(), std::pair(from, to)), {from, to});
  }

  // The longest part that lies under none.
  double LargestGap() const {
    double gap = 0, at = 0;
    for (const auto& [from, to] : parts_) {
      gap = std::max(gap, from - at);
      at = to;
    }
    return std::max(gap, 1 - at);
  }

 private:
  std::vector<std::pair<double, double>> parts_;  // sorted, apart
};

// Cross-sections of one cell and what covers them.
class CellCoverage {
 public:
  explicit CellCoverage(const Cell& cell) : cell_(cell) {
    constexpr double kStep_m = 0.1;
    constexpr double kMaxSections = 20;
    sections_.resize(
        static_cast<size_t>(Clamp(std::ceil(cell.length_m() / kStep_m), 1.0, kMaxSections)));
  }

  // Updates the meeting with what is left of the worst cross-section under `other`.
  void Cover(const Cell& other, Meeting& meeting) {
    for (size_t i = 0; i < sections_.size(); ++i) {
      const Segment across = cell_.CrossSection((i + 0.5) / sections_.size());
      for (const Triangle& half : other.Halves()) {
        const auto part = PartInside(across, half);
        if (part) sections_[i].Add(part->first, part->second);
      }
      const double width_m = Length(across.b - across.a);
      const double free_m = sections_[i].LargestGap() * width_m;
      if (free_m >= meeting.free_m) continue;
      meeting.free_m = free_m;
      meeting.covered_m = width_m - free_m;
      meeting.place_m = Lerp(across.a, across.b, 0.5);
    }
  }

 private:
  Cell cell_;
  std::vector<Coverage> sections_;
};

// Everywhere that borders meet beyond one bend.
std::vector<Meeting> FindBorderMeetings(const ExaminedRows& rows) {
  const std::vector<double> arc_m = rows.ArcLengths();
  const int count = rows.num_segments();
  std::vector<Segment> segments;
  std::vector<Box> boxes;
  for (const std::vector<Vec2>* border_m : {&rows.inner_m, &rows.outer_m}) {
    for (int i = 0; i < count; ++i) {
      const Segment& added =
          segments.emplace_back(Segment{(*border_m)[i], (*border_m)[rows.Wrap(i + 1)]});
      boxes.push_back(BoxAround(std::array{added.a, added.b}));
    }
  }
  MeetingList meetings(rows);
  VisitTouchingBoxes(boxes, [&](int one, int other) {
    const int i = one % count, k = other % count;
    if (DistanceBetween(rows, arc_m, i, k) <= BendLength(rows, i, k)) return;
    // as triangles without width, which may miss by a micrometre
    const auto [a, b] = segments[one];
    const auto [c, d] = segments[other];
    if (Touches(Triangle{a, b, b}, Triangle{c, d, d})) meetings.Add({{i, i}, {k, k}, a, 0, 0});
  });
  return meetings.Finish();
}

// Everywhere that the road meets itself beyond one bend. Between rows that lie askew, the road is
// not quite what lies between them: a meeting counts where borders meet, or where it is deep.
std::vector<Meeting> FindMeetings(const ExaminedRows& rows) {
  const std::vector<double> arc_m = rows.ArcLengths();
  std::vector<Cell> cells;
  std::vector<Box> boxes;
  std::vector<CellCoverage> coverages;
  for (int i = 0; i < rows.num_segments(); ++i) {
    cells.emplace_back(rows, i);
    boxes.push_back(cells[i].box());
    coverages.emplace_back(cells[i]);
  }
  MeetingList meetings(rows);
  VisitTouchingBoxes(boxes, [&](int i, int k) {
    if (DistanceBetween(rows, arc_m, i, k) <= BendLength(rows, i, k)) return;
    if (!Touches(cells[i], cells[k])) return;
    Meeting meeting{{i, i}, {k, k}, {}, 0, kWide_m};
    coverages[i].Cover(cells[k], meeting);
    coverages[k].Cover(cells[i], meeting);
    meetings.Add(meeting);
  });
  std::vector<Meeting> found = meetings.Finish();
  const std::vector<Meeting> border_meetings = FindBorderMeetings(rows);
  std::erase_if(found, [&](const Meeting& meeting) {
    return meeting.covered_m < meeting.free_m && !IsAmong(border_meetings, meeting, rows);
  });
  return found;
}

std::vector<Meeting> FindCrossings(const ExaminedRows& rows) {
  const std::vector<double> arc_m = rows.ArcLengths();
  std::vector<Box> boxes;
  for (int i = 0; i < rows.num_segments(); ++i) {
    boxes.push_back(BoxAround(std::array{rows.center(i), rows.center(i + 1)}));
  }
  MeetingList crossings(rows);
  VisitTouchingBoxes(boxes, [&](int i, int k) {
    const bool are_neighbors =
        k == i + 1 || (rows.is_closed && i == 0 && k == rows.num_segments() - 1);
    const Segment one{rows.center(i), rows.center(i + 1)};
    const Segment other{rows.center(k), rows.center(k + 1)};
    if (are_neighbors || !Touches(one, other)) return;
    crossings.Add(
        {{i, i}, {k, k}, MeetingPoint(one, other), DistanceBetween(rows, arc_m, i, k), 0});
  });
  return crossings.Finish();
}

void AddCrossing(const ExaminedRows& rows, const Meeting& crossing, FindingList& findings) {
  TrackFinding& finding = findings.Add(FindingKind::kCrossing, kError, rows,
                                       {crossing.rows.first, crossing.rows.last + 1});
  finding.other_rows = rows.RangeOf(crossing.other_rows.first, crossing.other_rows.last + 1);
  finding.place_m = crossing.place_m;
  finding.measured = crossing.covered_m;
  finding.sentence =
      StrCat("the centre line crosses itself: ", NameOf(finding.rows), " meet ",
             NameOf(finding.other_rows),
             "; at a crossing progress can jump from one way to the "
             "other, and inside and outside change places, so that good road counts as off track");
}

void AddMeeting(const ExaminedRows& rows, const Meeting& meeting, const CheckLimits& limits,
                FindingList& findings) {
  constexpr double kTouch_m = 1e-3;
  const bool is_touch = meeting.covered_m < kTouch_m;
  const bool is_blocked = !is_touch && meeting.free_m < limits.min_width_m;
  TrackFinding& finding = findings.Add(is_touch ? FindingKind::kTouch : FindingKind::kOverlap,
                                       is_blocked ? kError : kWarning, rows,
                                       {meeting.rows.first, meeting.rows.last + 1});
  finding.other_rows = rows.RangeOf(meeting.other_rows.first, meeting.other_rows.last + 1);
  finding.place_m = meeting.place_m;
  finding.measured = is_touch ? 0 : meeting.covered_m;
  finding.expected = is_touch ? 0 : limits.min_width_m;
  const std::string rows_and_others =
      StrCat(NameOf(finding.rows), " and ", NameOf(finding.other_rows));
  finding.sentence = is_touch ? StrCat("the roads of ", rows_and_others,
                                       " touch: a car can change over without leaving the road")
                              : StrCat("the roads of ", rows_and_others, " lie over each other by ",
                                       FormatFixed(meeting.covered_m, 2), " m, which leaves ",
                                       FormatFixed(meeting.free_m, 2), " m");
}

}  // namespace

void CheckOverlaps(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings) {
  const std::vector<Meeting> crossings = FindCrossings(rows);
  for (const Meeting& crossing : crossings) AddCrossing(rows, crossing, findings);
  for (const Meeting& meeting : FindMeetings(rows)) {
    if (!IsAmong(crossings, meeting, rows)) AddMeeting(rows, meeting, limits, findings);
  }
}

}  // namespace lapforge::tracks
