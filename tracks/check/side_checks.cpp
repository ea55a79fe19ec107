#include "tracks/check/side_checks.h"

#include <algorithm>
#include <cmath>

#include "sim/base/strings.h"
#include "tracks/check/reshape.h"
#include "tracks/geometry/track_geometry.h"

namespace lapforge::tracks {
namespace {

using enum FindingSeverity;

// The index whose border vertex would be beside row i if the border ran the other way.
int Mirrored(const ExaminedRows& rows, int i) {
  return rows.is_closed ? (rows.size() - i) % rows.size() : rows.size() - 1 - i;
}

bool RunsBackwards(const ExaminedRows& rows, const std::vector<Vec2>& border_m) {
  double now_m = 0, reversed_m = 0;
  for (int i = 0; i < rows.size(); ++i) {
    now_m += Length(border_m[i] - rows.center_m[i]);
    reversed_m += Length(border_m[Mirrored(rows, i)] - rows.center_m[i]);
  }
  return reversed_m < 0.5 * now_m;
}

// The borders change sides from row i to the next: straight on they would be longer than crossed.
bool ChangesSides(const ExaminedRows& rows, int i) {
  const Vec2 inner_m = rows.inner_m[i], outer_m = rows.outer_m[i];
  const int next = rows.Wrap(i + 1);
  return Length(rows.outer_m[next] - inner_m) + Length(rows.inner_m[next] - outer_m) <
         Length(rows.inner_m[next] - inner_m) + Length(rows.outer_m[next] - outer_m);
}

// Rows whose borders are on the other side than those of most rows.
std::vector<bool> FindExchanged(const ExaminedRows& rows) {
  std::vector<bool> is_exchanged(rows.size());
  int count = 0;
  for (int i = 1; i < rows.size(); ++i) {
    is_exchanged[i] = is_exchanged[i - 1] != ChangesSides(rows, i - 1);
    count += is_exchanged[i];
  }
  if (2 * count > rows.size()) is_exchanged.flip();
  return is_exchanged;
}

void Exchange(ExaminedRows& rows, int i) { std::swap(rows.inner_m[i], rows.outer_m[i]); }

// How often a ring turns, counter-clockwise positive; of a figure eight 0.
double NumTurns(const ExaminedRows& rows) {
  double turn_rad = 0;
  for (int i = 0; i < rows.size(); ++i) {
    const Vec2 from = rows.Step(i - 1), to = rows.Step(i);
    turn_rad += std::atan2(Cross(from, to), Dot(from, to));
  }
  return std::round(turn_rad / (2 * kPi));
}

double DistanceFromMiddle(const ExaminedRows& rows, int i) {
  return Length(rows.center_m[i] - Lerp(rows.inner_m[i], rows.outer_m[i], 0.5));
}

}  // namespace

void CheckDirections(ExaminedRows& rows, FindingList& findings) {
  for (const auto& [name, border_m] :
       {std::pair("inner", &rows.inner_m), {"outer", &rows.outer_m}}) {
    if (!RunsBackwards(rows, *border_m)) continue;
    TrackFinding& finding = findings.Add(FindingKind::kReversedBorder, kError);
    finding.place_m = border_m->front();
    finding.sentence = StrCat("the ", name, " border runs against the centre line");
    finding.fix = "turned round";
    finding.is_mended = true;
    std::reverse(border_m->begin() + (rows.is_closed ? 1 : 0), border_m->end());
  }
}

void CheckExchange(ExaminedRows& rows, FindingList& findings) {
  const std::vector<bool> is_exchanged = FindExchanged(rows);
  for (const IndexRun run : RunsOf(is_exchanged, rows.is_closed)) {
    TrackFinding& finding = findings.Add(FindingKind::kExchanged, kError, rows, run);
    finding.sentence = StrCat("inner and outer are exchanged at ", NameOf(finding.rows),
                              ": the borders cross the road there");
    finding.fix = "exchanged back";
    finding.is_mended = true;
  }
  for (int i = 0; i < rows.size(); ++i) {
    if (is_exchanged[i]) Exchange(rows, i);
  }
  if (!rows.is_closed || rows.size() < 3 || std::abs(NumTurns(rows)) != 1) return;

  TrackRows ring = ToTrackRows(rows, {});
  if (std::abs(TwiceSignedArea(ring.inner_m)) <= std::abs(TwiceSignedArea(ring.outer_m))) return;
  TrackFinding& finding = findings.Add(FindingKind::kExchanged, kError);
  finding.place_m = rows.inner_m[0];
  finding.sentence = "the inner border encloses the outer one: the columns are exchanged";
  finding.fix = "exchanged";
  finding.is_mended = true;
  std::swap(rows.inner_m, rows.outer_m);
}

void CheckMiddle(const ExaminedRows& rows, FindingList& findings) {
  constexpr double kOffMiddle_m = 0.02;  // DeepRacer's newer files are within it
  int worst = 0, num_off = 0;
  for (int i = 0; i < rows.size(); ++i) {
    if (DistanceFromMiddle(rows, i) > DistanceFromMiddle(rows, worst)) worst = i;
    num_off += DistanceFromMiddle(rows, i) > kOffMiddle_m;
  }
  if (num_off == 0) return;
  TrackFinding& finding = findings.Add(FindingKind::kOffCenter, kNote, rows, {worst, worst});
  finding.measured = DistanceFromMiddle(rows, worst);
  finding.expected = kOffMiddle_m;
  finding.sentence = StrCat("the centre line is off the middle of the road by up to ",
                            FormatFixed(finding.measured, 3), " m (more than 2 cm at ", num_off,
                            " of ", rows.size(), " rows)");
  finding.fix = "--recenter puts it in the middle";
}

void CheckOnRoad(ExaminedRows& rows, const TrackRows& like, FindingList& findings) {
  const Road road(ToTrackRows(rows, like), rows.is_closed);
  std::vector<bool> is_off(rows.size());
  // an open road ends at its first and last row
  for (int i = rows.is_closed ? 0 : 1; i < rows.num_segments(); ++i) {
    is_off[i] = !road.Contains(rows.center_m[i]);
  }
  bool is_mendable = true;
  for (const IndexRun run : RunsOf(is_off, rows.is_closed)) {
    TrackFinding& finding = findings.Add(FindingKind::kOffRoad, kError, rows, run);
    finding.measured = DistanceFromMiddle(rows, rows.Wrap(run.first));
    finding.sentence = StrCat("the centre line is not on the road at ", NameOf(finding.rows),
                              ": a car put there is off the track at once");
    const int middle_row = rows.Wrap(run.first);
    finding.is_mended =
        road.Contains(Lerp(rows.inner_m[middle_row], rows.outer_m[middle_row], 0.5));
    finding.fix = finding.is_mended ? "put in the middle of the road" : "";
    is_mendable = is_mendable && finding.is_mended;
  }
  if (is_mendable && std::find(is_off.begin(), is_off.end(), true) != is_off.end()) Recenter(rows);
}

}  // namespace lapforge::tracks
