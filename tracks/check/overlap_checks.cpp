#include "tracks/check/overlap_checks.h"

#include <algorithm>
#include <cmath>

#include "sim/base/strings.h"
#include "tracks/check/fold_checks.h"
#include "tracks/check/touching.h"

namespace lapforge::tracks {
namespace {

using enum FindingSeverity;

// Pairs of sections that meet, put together while both go on.
struct Meeting {
  IndexRun rows;
  IndexRun other_rows;
  Vec2 place_m;          // the worst one
  double covered_m = 0;  // most of a cross-section that lies under the other section
  double free_m = 1e9;   // what is left of the road there
};

bool AreBeside(const IndexRun& a, const IndexRun& b) {
  constexpr int kGap = 3;  // rows that may be missing between
  return a.first <= b.last + kGap && b.first <= a.last + kGap;
}

bool AreBeside(const Meeting& a, const Meeting& b) {
  return AreBeside(a.rows, b.rows) && AreBeside(a.other_rows, b.other_rows);
}

IndexRun Joined(const IndexRun& a, const IndexRun& b) {
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

// Adds a meeting: to one that it continues, or as a new one.
Meeting& AddTo(std::vector<Meeting>& meetings, const Meeting& added) {
  for (Meeting& meeting : meetings) {
    if (!AreBeside(meeting, added)) continue;
    const Meeting& worst = added.free_m < meeting.free_m ? added : meeting;
    meeting = {Joined(meeting.rows, added.rows), Joined(meeting.other_rows, added.other_rows),
               worst.place_m, worst.covered_m, worst.free_m};
    return meeting;
  }
  return meetings.emplace_back(added);
}

// Joins meetings that grew together: pairs come in the order of the sweep, not of the rows.
std::vector<Meeting> Joined(std::vector<Meeting> meetings) {
  size_t num_before = 0;
  while (num_before != meetings.size()) {
    num_before = meetings.size();
    std::vector<Meeting> joined;
    for (const Meeting& meeting : meetings) AddTo(joined, meeting);
    meetings = std::move(joined);
  }
  std::sort(meetings.begin(), meetings.end(),
            [](const Meeting& a, const Meeting& b) { return a.rows.first < b.rows.first; });
  return meetings;
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

// Everywhere that the road meets itself beyond one bend.
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
  std::vector<Meeting> meetings;
  VisitTouchingBoxes(boxes, [&](int i, int k) {
    if (DistanceAlong(rows, arc_m, i, k) <= BendLength(rows, i, k)) return;
    if (!Touches(cells[i], cells[k])) return;
    Meeting& meeting = AddTo(meetings, {{i, i}, {k, k}, {}, 0, 1e9});
    coverages[i].Cover(cells[k], meeting);
    coverages[k].Cover(cells[i], meeting);
  });
  return Joined(std::move(meetings));
}

std::vector<Meeting> FindCrossings(const ExaminedRows& rows) {
  const std::vector<double> arc_m = rows.ArcLengths();
  std::vector<Box> boxes;
  for (int i = 0; i < rows.num_segments(); ++i) {
    boxes.push_back(BoxAround(std::array{rows.center(i), rows.center(i + 1)}));
  }
  std::vector<Meeting> crossings;
  VisitTouchingBoxes(boxes, [&](int i, int k) {
    const bool are_neighbors =
        k == i + 1 || (rows.is_closed && i == 0 && k == rows.num_segments() - 1);
    const Segment one{rows.center(i), rows.center(i + 1)};
    const Segment other{rows.center(k), rows.center(k + 1)};
    if (are_neighbors || !Touches(one, other)) return;
    AddTo(crossings,
          {{i, i}, {k, k}, MeetingPoint(one, other), DistanceAlong(rows, arc_m, i, k), 0});
  });
  return Joined(std::move(crossings));
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
    const bool is_at_crossing =
        std::any_of(crossings.begin(), crossings.end(),
                    [&](const Meeting& crossing) { return AreBeside(meeting, crossing); });
    if (!is_at_crossing) AddMeeting(rows, meeting, limits, findings);
  }
}

}  // namespace lapforge::tracks
