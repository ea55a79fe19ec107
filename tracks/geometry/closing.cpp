#include "tracks/geometry/closing.h"

#include <algorithm>

namespace lapforge::tracks {
namespace {

constexpr double kRounding_m = 1e-6;
constexpr double kRepeatShare = 0.02;  // of the mean spacing
constexpr double kFollowShare = 1.5;   // of the longest spacing
constexpr double kTurnBackCosine = -0.9;

// How far two ends may be apart and count as one point.
double RepeatTolerance(std::span<const Vec2> points) {
  double length_m = 0;
  for (size_t i = 0; i + 1 < points.size(); ++i) length_m += Length(points[i + 1] - points[i]);
  return std::max(kRounding_m, kRepeatShare * length_m / static_cast<double>(points.size() - 1));
}

}  // namespace

Ends EndsOf(std::span<const Vec2> points) {
  if (points.size() < 3) return Ends::kApart;
  const Vec2 gap = points.front() - points.back();
  const double gap_m = Length(gap);
  const bool has_ring = points.size() > 3;
  if (gap_m == 0 || (has_ring && gap_m <= RepeatTolerance(points))) return Ends::kRepeat;

  double longest_m = 0;
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    longest_m = std::max(longest_m, Length(points[i + 1] - points[i]));
  }
  const Vec2 last_step = points.back() - points[points.size() - 2];
  const bool turns_back = Dot(gap, last_step) < kTurnBackCosine * gap_m * Length(last_step);
  return gap_m <= kFollowShare * longest_m && !turns_back ? Ends::kFollow : Ends::kApart;
}

double CloseRepeatedRow(TrackRows& rows) {
  constexpr size_t kMinRows = 4;
  if (rows.center_m.size() < kMinRows) return 0;
  const double tolerance_m = RepeatTolerance(rows.center_m);
  double gap_m = 0;
  for (const auto* column : {&rows.center_m, &rows.inner_m, &rows.outer_m}) {
    gap_m = std::max(gap_m, Length(column->front() - column->back()));
  }
  if (!(gap_m <= tolerance_m)) return 0;
  for (auto* column : {&rows.center_m, &rows.inner_m, &rows.outer_m}) {
    column->back() = column->front();
  }
  return gap_m;
}

}  // namespace lapforge::tracks
