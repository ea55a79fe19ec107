#include "tracks/track_check.h"

#include <algorithm>
#include <cmath>

#include "sim/base/strings.h"
#include "tracks/check/closure_checks.h"
#include "tracks/check/examined_rows.h"
#include "tracks/check/fold_checks.h"
#include "tracks/check/overlap_checks.h"
#include "tracks/check/reshape.h"
#include "tracks/check/row_checks.h"
#include "tracks/check/side_checks.h"
#include "tracks/check/size_checks.h"
#include "tracks/geometry/track_geometry.h"

namespace lapforge::tracks {
namespace {

bool CheckCount(const ExaminedRows& rows, FindingList& findings) {
  const int min_size = rows.is_closed ? 3 : 2;
  if (rows.size() >= min_size) return true;
  if (findings.Has(FindingKind::kColumns)) return false;
  TrackFinding& finding = findings.Add(FindingKind::kTooFewRows, FindingSeverity::kError);
  finding.measured = rows.size();
  finding.expected = min_size;
  finding.sentence =
      StrCat("only ", rows.size(), " different places; ",
             rows.is_closed ? "a closed track has at least 3" : "a track has at least 2");
  return false;
}

// All checks in the order in which faults hide each other; rows are mended on the way.
void Examine(ExaminedRows& rows, const CheckLimits& limits, const TrackRows& file,
             FindingList& findings) {
  if (!CheckCount(rows, findings)) return;
  CheckRepeats(rows, findings);
  if (!CheckCount(rows, findings)) return;
  CheckOrder(rows, findings);
  CheckLaps(rows, findings);
  CheckClosure(rows, findings);
  if (!CheckCount(rows, findings)) return;
  CheckDirections(rows, findings);
  CheckExchange(rows, findings);
  CheckMiddle(rows, findings);
  CheckFolds(rows, findings);
  if (CheckUnits(rows, limits, findings)) {
    CheckSpacing(rows, limits, findings);
    CheckWidths(rows, limits, findings);
    CheckLength(rows, limits, findings);
    CheckBends(rows, limits, findings);
  }
  CheckOverlaps(rows, limits, findings);
  CheckNumber(rows, findings);
  const bool is_road =
      !findings.Has(FindingKind::kCrossing) && !findings.Has(FindingKind::kOverlap) &&
      !findings.Has(FindingKind::kBordersCross) && !findings.Has(FindingKind::kNarrow);
  if (is_road) CheckOnRoad(rows, file, findings);
}

bool HasMended(const FindingList& findings) {
  return std::any_of(findings.all().begin(), findings.all().end(),
                     [](const TrackFinding& finding) { return finding.is_mended; });
}

// Examines again until nothing is left to mend: a mended fault may have hidden another.
void MendAll(ExaminedRows& rows, const CheckLimits& limits, const TrackRows& file,
             std::vector<std::string>& done) {
  constexpr int kMaxRounds = 20;
  for (int round = 0; round < kMaxRounds; ++round) {
    FindingList findings;
    Examine(rows, limits, file, findings);
    for (const TrackFinding& finding : findings.all()) {
      if (finding.is_mended) done.push_back(StrCat(finding.fix, ": ", finding.sentence));
    }
    if (!HasMended(findings)) return;
  }
}

}  // namespace

std::string_view NameOf(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kNote:
      return "note";
    case FindingSeverity::kWarning:
      return "warning";
    case FindingSeverity::kError:
      return "error";
  }
  return "";
}

std::string_view NameOf(FindingKind kind) {
  constexpr std::string_view kNames[] = {
      "columns",       "too-few-rows",    "too-many-rows", "not-a-place", "far-from-origin",
      "repeated-row",  "reversed-rows",   "back-step",     "second-lap",  "nearly-closed",
      "open",          "coarse-rows",     "uneven-rows",   "fine-rows",   "units",
      "too-short",     "too-long",        "narrow",        "wide",        "width-jump",
      "corner",        "tight-bend",      "start-in-bend", "off-center",  "off-road",
      "crossing",      "reversed-border", "exchanged",     "fold",        "border-back",
      "borders-cross", "touch",           "overlap"};
  static_assert(std::size(kNames) == static_cast<size_t>(FindingKind::kOverlap) + 1);
  return kNames[static_cast<size_t>(kind)];
}

std::vector<TrackFinding> CheckRows(const TrackRows& rows, const CheckLimits& limits) {
  FindingList findings;
  ExaminedRows examined = TakeRows(rows, findings);
  Examine(examined, limits, rows, findings);
  std::stable_sort(findings.all().begin(), findings.all().end(),
                   [](const TrackFinding& a, const TrackFinding& b) {
                     if (a.severity != b.severity) return a.severity > b.severity;
                     return a.rows.first < b.rows.first;
                   });
  return findings.all();
}

FindingSeverity WorstOf(const std::vector<TrackFinding>& findings) {
  FindingSeverity worst = FindingSeverity::kNote;
  for (const TrackFinding& finding : findings) worst = std::max(worst, finding.severity);
  return worst;
}

Result<MendedRows> MendRows(const TrackRows& rows, const CheckLimits& limits,
                            const MendOptions& options) {
  MendedRows mended;
  FindingList findings;
  ExaminedRows examined =
      TakeRows(options.scale == 1 ? rows : Scaled(rows, options.scale), findings);
  if (options.scale != 1) mended.done.push_back(StrCat("scaled by ", options.scale));
  for (const TrackFinding& finding : findings.all()) {
    if (finding.is_mended) mended.done.push_back(StrCat(finding.fix, ": ", finding.sentence));
  }
  MendAll(examined, limits, rows, mended.done);
  if (options.recenter && examined.size() > 1) {
    Recenter(examined);
    mended.done.push_back("the centre line was put in the middle of the road");
  }
  if (options.spacing_m > 0 && examined.size() > 1) {
    Resample(examined, options.spacing_m);
    mended.done.push_back(StrCat("rows were put at equal distances of ",
                                 FormatFixed(examined.MedianSpacing(), 3), " m"));
  }
  if (options.recenter || options.spacing_m > 0) MendAll(examined, limits, rows, mended.done);

  mended.rows = ToTrackRows(examined, rows);
  mended.left = CheckRows(mended.rows, limits);
  if (findings.Has(FindingKind::kColumns)) mended.left = findings.all();
  if (WorstOf(mended.left) == FindingSeverity::kError) {
    const TrackFinding& worst = mended.left.front();
    return ErrorOf(worst.sentence, worst.fix.empty() ? "; that is to be mended by hand" : "; ",
                   worst.fix);
  }
  return mended;
}

RowFacts FactsOf(const TrackRows& rows) {
  FindingList findings;
  ExaminedRows examined = TakeRows(rows, findings);
  RowFacts facts;
  if (examined.size() < 2) return facts;
  CheckRepeats(examined, findings);
  facts.is_closed = examined.is_closed;
  facts.num_rows = examined.size() + (examined.is_closed ? 1 : 0);
  facts.length_m = examined.ArcLengths().back();
  facts.min_width_m = examined.Width(0);
  for (int i = 0; i < examined.size(); ++i) {
    facts.min_width_m = std::min(facts.min_width_m, examined.Width(i));
    facts.max_width_m = std::max(facts.max_width_m, examined.Width(i));
  }
  double curvature_1pm = 1e-9;
  for (const double value : CurvaturesOf(examined)) {
    curvature_1pm = std::max(curvature_1pm, std::abs(value));
  }
  facts.min_radius_m = 1 / curvature_1pm;
  facts.is_counter_clockwise =
      !facts.is_closed || TwiceSignedArea(ToTrackRows(examined, rows).center_m) > 0;
  return facts;
}

}  // namespace lapforge::tracks
