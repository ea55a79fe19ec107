#include "tracks/check/size_checks.h"

#include <algorithm>
#include <cmath>

#include "sim/base/strings.h"

namespace lapforge::tracks {
namespace {

using enum FindingSeverity;

constexpr double kNoRadius_m = 1e9;

double RadiusOf(double curvature_1pm) {
  return std::min(kNoRadius_m, 1 / std::max(std::abs(curvature_1pm), 1 / kNoRadius_m));
}

double DistanceToSegment(Vec2 point_m, Vec2 a, Vec2 b) {
  const Vec2 along = b - a;
  const double length_sq = Dot(along, along);
  const double share = length_sq > 0 ? Clamp(Dot(point_m - a, along) / length_sq, 0.0, 1.0) : 0;
  return Length(a + share * along - point_m);
}

// The road beside a row: from either border's vertex to the other border nearby. Less than the
// distance of the two vertices where the row lies askew.
double RoadWidth(const ExaminedRows& rows, int i) {
  constexpr int kReach = 5;  // rows ahead and behind
  double width_m = rows.Width(i);
  for (int k = i - kReach; k < i + kReach; ++k) {
    if (!rows.Has(k) || !rows.Has(k + 1)) continue;
    const int from = rows.Wrap(k), to = rows.Wrap(k + 1);
    width_m =
        std::min({width_m, DistanceToSegment(rows.inner_m[i], rows.outer_m[from], rows.outer_m[to]),
                  DistanceToSegment(rows.outer_m[i], rows.inner_m[from], rows.inner_m[to])});
  }
  return width_m;
}

struct UnitGuess {
  double factor;
  const char* name;
};

// The factor that makes a road of usual width, six cars abreast being the most that is usual.
UnitGuess GuessUnit(double width_m, double car_width_m) {
  constexpr UnitGuess kGuesses[] = {{0.01, "centimetres"},     {0.001, "millimetres"},
                                    {0.0254, "inches"},        {1 / 18.0, "a full-size road"},
                                    {0.1, "a full-size road"}, {100, "hundreds of metres"},
                                    {1000, "kilometres"}};
  for (const UnitGuess& guess : kGuesses) {
    const double cars_abreast = width_m * guess.factor / car_width_m;
    if (cars_abreast >= 2.5 && cars_abreast <= 10) return guess;
  }
  return {4.5 * car_width_m / width_m, "another scale"};
}

void AddNarrow(const ExaminedRows& rows, IndexRun run, const std::vector<double>& widths_m,
               const CheckLimits& limits, FindingList& findings) {
  int at = rows.Wrap(run.first);
  for (int i = at; i != rows.Wrap(run.last + 1); i = rows.Wrap(i + 1)) {
    if (widths_m[i] < widths_m[at]) at = i;
    if (rows.size() == 1) break;
  }
  const bool is_too_narrow = widths_m[at] < limits.car_width_m;
  TrackFinding& finding =
      findings.Add(FindingKind::kNarrow, is_too_narrow ? kError : kWarning, rows, run);
  finding.place_m = rows.center_m[at];
  finding.measured = widths_m[at];
  finding.expected = is_too_narrow ? limits.car_width_m : limits.min_width_m;
  finding.sentence =
      StrCat("the road is ", FormatFixed(widths_m[at], 2), " m wide at ", NameOf(finding.rows),
             ", ", is_too_narrow ? "narrower than the car" : "narrow for a car", " of ",
             FormatFixed(limits.car_width_m, 2), " m");
}

void CheckNarrow(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings) {
  std::vector<double> widths_m;
  std::vector<bool> is_narrow, is_doubtful;
  for (int i = 0; i < rows.size(); ++i) {
    widths_m.push_back(RoadWidth(rows, i));
    is_narrow.push_back(widths_m[i] < limits.car_width_m);
    is_doubtful.push_back(widths_m[i] < limits.min_width_m && !is_narrow[i]);
  }
  for (const std::vector<bool>& marked : {is_narrow, is_doubtful}) {
    for (const IndexRun run : RunsOf(marked, rows.is_closed)) {
      AddNarrow(rows, run, widths_m, limits, findings);
    }
  }
}

void CheckWide(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings) {
  std::vector<bool> is_wide;
  for (int i = 0; i < rows.size(); ++i) is_wide.push_back(rows.Width(i) > limits.max_width_m);
  for (const IndexRun run : RunsOf(is_wide, rows.is_closed)) {
    TrackFinding& finding = findings.Add(FindingKind::kWide, kWarning, rows, run);
    finding.measured = rows.Width(run.first);
    finding.expected = limits.max_width_m;
    finding.sentence = StrCat("the road is ", FormatFixed(finding.measured, 2), " m wide at ",
                              NameOf(finding.rows), "; usual are at most ", limits.max_width_m);
  }
}

void CheckJumps(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings) {
  constexpr double kMaxChange = 1.0 / 3;  // of the narrower of two neighbouring rows
  constexpr double kMaxSlope = 1.5;       // metres of width in a metre of road
  std::vector<bool> is_jump(rows.size());
  for (int i = 0; i < rows.num_segments(); ++i) {
    const double a_m = rows.Width(i), b_m = rows.Width(i + 1);
    // where it is too narrow or too wide, that is told already
    const bool is_usual =
        std::min(a_m, b_m) >= limits.min_width_m && std::max(a_m, b_m) <= limits.max_width_m;
    is_jump[i] = is_usual && std::abs(b_m - a_m) > kMaxChange * std::min(a_m, b_m) &&
                 std::abs(b_m - a_m) > kMaxSlope * Length(rows.Step(i));
  }
  for (const IndexRun run : RunsOf(is_jump, rows.is_closed)) {
    TrackFinding& finding =
        findings.Add(FindingKind::kWidthJump, kWarning, rows, {run.first, run.last + 1});
    const double from_m = rows.Width(run.first), to_m = rows.Width(run.first + 1);
    finding.measured = std::abs(to_m - from_m);
    finding.expected = kMaxSlope * Length(rows.Step(run.first));
    finding.sentence = StrCat("the road's width jumps from ", FormatFixed(from_m, 2), " to ",
                              FormatFixed(to_m, 2), " m at ", NameOf(finding.rows));
  }
}

void CheckCorners(const ExaminedRows& rows, FindingList& findings) {
  constexpr double kSharp_rad = RadFromDeg(60);  // DeepRacer's sharpest known is 43 degrees
  for (int i = 0; i < rows.size(); ++i) {
    if (!rows.Has(i - 1) || !rows.Has(i + 1)) continue;
    const Vec2 from = rows.Step(i - 1), to = rows.Step(i);
    const double turn_rad = std::abs(std::atan2(Cross(from, to), Dot(from, to)));
    if (turn_rad <= kSharp_rad) continue;
    TrackFinding& finding = findings.Add(FindingKind::kCorner, kWarning, rows, {i, i});
    finding.measured = DegFromRad(turn_rad);
    finding.expected = DegFromRad(kSharp_rad);
    finding.sentence =
        StrCat("the centre line turns by ", FormatFixed(finding.measured, 0), " degrees at row ",
               finding.rows.first, " alone: a bend needs more rows");
  }
}

void CheckTightBends(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings) {
  const std::vector<double> curvatures = CurvaturesOf(rows);
  std::vector<bool> is_tight;
  for (const double curvature : curvatures) {
    is_tight.push_back(RadiusOf(curvature) < limits.turning_radius_m);
  }
  for (const IndexRun run : RunsOf(is_tight, rows.is_closed)) {
    int at = rows.Wrap(run.first);
    for (int i = at; i != rows.Wrap(run.last); i = rows.Wrap(i + 1)) {
      if (std::abs(curvatures[rows.Wrap(i + 1)]) > std::abs(curvatures[at])) at = rows.Wrap(i + 1);
    }
    // the widest way round: along the border on the outside of the bend
    const double outside_m = std::max(Length(rows.inner_m[at] - rows.center_m[at]),
                                      Length(rows.outer_m[at] - rows.center_m[at]));
    const double radius_m = RadiusOf(curvatures[at]);
    const bool is_passable =
        radius_m + outside_m - 0.5 * limits.car_width_m >= limits.turning_radius_m;
    TrackFinding& finding =
        findings.Add(FindingKind::kTightBend, is_passable ? kNote : kWarning, rows, run);
    finding.place_m = rows.center_m[at];
    finding.measured = radius_m;
    finding.expected = limits.turning_radius_m;
    finding.sentence =
        StrCat("the centre line bends with a radius of ", FormatFixed(radius_m, 2), " m at ",
               NameOf(finding.rows), ", the car turns at ", FormatFixed(limits.turning_radius_m, 2),
               " m: ", is_passable ? "it must swing wide" : "the road is too tight to get round");
  }
}

void CheckStart(const ExaminedRows& rows, FindingList& findings) {
  constexpr double kStartRadius_m = 2;
  const double radius_m = RadiusOf(CurvaturesOf(rows)[0]);
  if (!rows.is_closed || radius_m >= kStartRadius_m) return;
  TrackFinding& finding = findings.Add(FindingKind::kStartInBend, kNote, rows, {0, 0});
  finding.measured = radius_m;
  finding.expected = kStartRadius_m;
  finding.sentence = StrCat("the start line lies in a bend of ", FormatFixed(radius_m, 2), " m");
}

}  // namespace

bool CheckUnits(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings) {
  const double width_m = rows.MedianWidth();
  // roads that are only somewhat narrow are told of row by row, also those without any width
  const bool is_small = width_m < 0.2 * limits.car_width_m;
  if (width_m == 0 || (!is_small && width_m <= limits.max_width_m)) return true;
  const UnitGuess guess = GuessUnit(width_m, limits.car_width_m);
  TrackFinding& finding = findings.Add(FindingKind::kUnits, is_small ? kError : kWarning);
  finding.measured = width_m;
  finding.expected = is_small ? limits.car_width_m : limits.max_width_m;
  finding.place_m = rows.center_m[0];
  const double length_m = rows.ArcLengths().back();
  finding.sentence =
      StrCat("the road is mostly ", FormatFixed(width_m, is_small ? 4 : 1), " m wide and ",
             FormatFixed(length_m, is_small ? 3 : 0), " m long for a car of ",
             FormatFixed(limits.car_width_m, 2), " m: perhaps ", guess.name);
  finding.fix = StrCat("--scale ", FormatFixed(guess.factor, 4), " makes it ",
                       FormatFixed(width_m * guess.factor, 2), " m wide and ",
                       FormatFixed(length_m * guess.factor, 2), " m long");
  return false;
}

void CheckWidths(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings) {
  CheckNarrow(rows, limits, findings);
  CheckWide(rows, limits, findings);
  CheckJumps(rows, limits, findings);
}

void CheckLength(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings) {
  const double length_m = rows.ArcLengths().back();
  const double min_length_m = 3 * limits.car_length_m;
  if (length_m >= min_length_m && length_m <= limits.max_length_m) return;
  const bool is_short = length_m < min_length_m;
  TrackFinding& finding = is_short ? findings.Add(FindingKind::kTooShort, kError, rows, {0, 0})
                                   : findings.Add(FindingKind::kTooLong, kWarning, rows, {0, 0});
  finding.measured = length_m;
  finding.expected = is_short ? min_length_m : limits.max_length_m;
  finding.sentence =
      StrCat("the track is ", FormatFixed(length_m, 2), " m long, ",
             is_short ? "too short for a car of " : "more than the usual ",
             FormatFixed(is_short ? limits.car_length_m : limits.max_length_m, 2), " m");
}

void CheckBends(const ExaminedRows& rows, const CheckLimits& limits, FindingList& findings) {
  CheckCorners(rows, findings);
  CheckTightBends(rows, limits, findings);
  CheckStart(rows, findings);
}

std::vector<double> CurvaturesOf(const ExaminedRows& rows) {
  constexpr double kReach_m = 0.25;  // ahead and behind
  const int size = rows.size();
  // each row's turn, and its share of the line: half of either segment beside it
  std::vector<double> turn_rad(size), share_m(size);
  for (int i = 0; i < size; ++i) {
    if (!rows.Has(i - 1) || !rows.Has(i + 1)) continue;
    const Vec2 from = rows.Step(i - 1), to = rows.Step(i);
    turn_rad[i] = std::atan2(Cross(from, to), Dot(from, to));
    share_m[i] = 0.5 * (Length(from) + Length(to));
  }
  std::vector<double> curvatures(size);
  for (int i = 0; i < size; ++i) {
    double sum_rad = turn_rad[i], sum_m = share_m[i];
    for (const int direction : {-1, 1}) {
      double left_m = kReach_m - 0.5 * share_m[i];
      for (int k = i + direction; left_m > 0 && rows.Has(k) && std::abs(k - i) < size;
           k += direction) {
        // the last row in reach counts in part
        const double next_m = share_m[rows.Wrap(k)];
        const double part = next_m > left_m ? left_m / next_m : 1;
        sum_rad += part * turn_rad[rows.Wrap(k)];
        sum_m += part * next_m;
        left_m -= next_m;
      }
    }
    curvatures[i] = sum_m > 0 ? sum_rad / sum_m : 0;
  }
  return curvatures;
}

}  // namespace lapforge::tracks
