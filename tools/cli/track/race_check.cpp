#include "tools/cli/track/race_check.h"

#include <algorithm>
#include <cmath>

#include "sim/base/log.h"
#include "sim/base/strings.h"
#include "tracks/track_files.h"

namespace lapforge::cli {

using tracks::FindingKind;
using tracks::FindingSeverity;
using tracks::TrackFinding;

tracks::CheckLimits CheckLimitsOf(const sim::CarSpec& car) {
  tracks::CheckLimits limits;
  // of the middle of the rear axle, without slip
  limits.turning_radius_m = car.wheelbase_m() / std::tan(car.max_steering_rad);
  limits.car_length_m = car.body_length_m;
  limits.car_width_m = car.body_width_m;
  limits.min_width_m = 2 * car.body_width_m;
  limits.max_width_m = 20 * car.body_width_m;
  return limits;
}

Result<tracks::Track> LoadTrackFor(const sim::CarSpec& car, const std::string& name_or_path) {
  LAPFORGE_TRY(const tracks::TrackRows rows, tracks::LoadTrackRows(name_or_path));
  const std::vector<TrackFinding> findings = tracks::CheckRows(rows, CheckLimitsOf(car));
  const std::string see = StrCat("; see 'lapforge track check ", name_or_path, "'");
  std::vector<TrackFinding> doubts;
  bool is_nearly_closed = false;
  for (const TrackFinding& finding : findings) {
    if (finding.severity == FindingSeverity::kError) {
      const std::string fix = finding.is_mended || finding.fix.empty() ? "" : "; " + finding.fix;
      return ErrorOf("track ", name_or_path, ": ", finding.sentence, fix, see);
    }
    // of these the readers tell
    const bool is_open_end = finding.kind == FindingKind::kNearlyClosed;
    const bool is_told = is_open_end || finding.kind == FindingKind::kReversedRows;
    is_nearly_closed = is_nearly_closed || is_open_end;
    if (finding.severity == FindingSeverity::kWarning && !is_told) doubts.push_back(finding);
  }
  if (!doubts.empty()) {
    const std::string more =
        doubts.size() == 1 ? "" : StrCat(" (and ", doubts.size() - 1, " more)");
    LogWarning(name_or_path, ": ", doubts.front().sentence, more, see);
  }
  // rows are read once, unless their reader has something to say about the ends
  return is_nearly_closed ? tracks::LoadTrack(name_or_path) : tracks::Track::FromRows(rows);
}

}  // namespace lapforge::cli
