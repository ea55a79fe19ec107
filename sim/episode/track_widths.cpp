#include "sim/episode/track_widths.h"

#include <algorithm>

#include "sim/base/math.h"
#include "sim/base/strings.h"
#include "tracks/track_check.h"

namespace lapforge::sim {
namespace {

// The rows of a file that gives this track with its half widths times `factor`.
tracks::TrackRows RowsOf(const tracks::Track& track, double factor) {
  tracks::TrackRows rows;
  rows.name = track.name();
  rows.description = track.description();
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const tracks::Waypoint from = track.waypoint(i);
    const Vec2 left_m = Lerp(from.center_m, from.left_m, factor);
    const Vec2 right_m = Lerp(from.center_m, from.right_m, factor);
    rows.center_m.push_back(from.center_m);
    rows.inner_m.push_back(track.inner_is_left() ? left_m : right_m);
    rows.outer_m.push_back(track.inner_is_left() ? right_m : left_m);
  }
  return rows;
}

tracks::CheckLimits LimitsFor(const CarSpec& car) {
  tracks::CheckLimits limits;
  limits.turning_radius_m = LimitsOf(car).turning_radius_m;
  limits.car_length_m = car.body_length_m;
  limits.car_width_m = car.body_width_m;
  return limits;
}

// True for what a change of width may do to a road, and no driver should meet by chance.
bool SpoilsRoad(const tracks::TrackFinding& finding) {
  using tracks::FindingKind;
  switch (finding.kind) {
    case FindingKind::kFold:
    case FindingKind::kBorderBack:
    case FindingKind::kBordersCross:
    case FindingKind::kTouch:
    case FindingKind::kOverlap:
      return true;
    default:
      return finding.severity == tracks::FindingSeverity::kError;
  }
}

// True where one is of a kind that the track itself has not.
bool IsSpoiled(const std::vector<tracks::TrackFinding>& findings,
               const std::vector<tracks::TrackFinding>& own) {
  return std::any_of(findings.begin(), findings.end(), [&](const auto& finding) {
    const bool is_own = std::any_of(own.begin(), own.end(), [&](const auto& other) {
      return other.kind == finding.kind && other.severity == finding.severity;
    });
    return SpoilsRoad(finding) && !is_own;
  });
}

// Rows with the part of a change of width, in eighths, that the road allows.
tracks::TrackRows WidestChange(const tracks::Track& track, double change_frac,
                               const tracks::CheckLimits& limits) {
  constexpr int kNumParts = 8;
  const tracks::TrackRows unchanged = RowsOf(track, 1);
  const auto own = tracks::CheckRows(unchanged, limits);
  for (int part = kNumParts; part > 0; --part) {
    tracks::TrackRows rows = RowsOf(track, 1 + change_frac * part / kNumParts);
    if (!IsSpoiled(tracks::CheckRows(rows, limits), own)) return rows;
  }
  return unchanged;
}

}  // namespace

Result<std::vector<tracks::Track>> InAllWidths(const tracks::Track& track, const CarSpec& car,
                                               const RandomizeOptions& randomize) {
  std::vector<tracks::Track> widths = {track};
  const int count = NumTrackWidths(randomize);
  if (count == 1) return widths;
  const tracks::Track forward = track.is_reversed() ? track.Reversed() : track;
  const tracks::CheckLimits limits = LimitsFor(car);
  for (int i = 0; i < count; ++i) {
    if (i == count / 2) continue;  // the track itself
    const double change_frac = randomize.track_width_frac * (2.0 * i / (count - 1) - 1);
    const tracks::TrackRows rows = WidestChange(forward, change_frac, limits);
    LAPFORGE_TRY(const tracks::Track copy, tracks::Track::FromRows(rows));
    const tracks::Track driven = track.is_reversed() ? copy.Reversed() : copy;
    widths.push_back(driven.WithStart(track.start_m()));
  }
  return widths;
}

}  // namespace lapforge::sim
