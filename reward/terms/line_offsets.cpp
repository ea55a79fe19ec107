#include "reward/terms/line_offsets.h"

#include <algorithm>
#include <utility>

#include "sim/base/file_io.h"
#include "sim/base/math.h"
#include "sim/base/strings.h"
#include "tracks/raceline.h"

namespace lapforge::reward {
namespace {

constexpr double kMaxOutside_m = 0.2;  // beyond a border: the car's middle may cross it
constexpr double kMaxGapFrac = 0.1;    // of the lap, between two points

using Pairs = std::vector<std::pair<double, double>>;  // arc length, offset

Result<Pairs> PairsOf(const tracks::Raceline& line, const tracks::Track& view,
                      const std::string& path) {
  Pairs pairs;
  for (const tracks::RacelinePoint& point : line.points) {
    const double arc_length_m = point.track_arc_length_m;
    const double offset_m = point.lateral_offset_m;
    const tracks::HalfWidths widths = view.HalfWidthsAt(arc_length_m);
    const double outside_m = offset_m > 0 ? offset_m - widths.left_m : -offset_m - widths.right_m;
    if (outside_m > kMaxOutside_m) {
      return ErrorOf(path, ": the line leaves the road of ", view.name(), " by ",
                     FormatFixed(outside_m, 2), " m; was it made for this track?");
    }
    pairs.emplace_back(arc_length_m, offset_m);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

// The last points once more before the first ones, and the other way round.
void GoOnBeyondTheSeam(double length_m, Pairs& pairs) {
  const auto [first_m, first_offset_m] = pairs.front();
  const auto [last_m, last_offset_m] = pairs.back();
  pairs.insert(pairs.begin(), {last_m - length_m, last_offset_m});
  pairs.emplace_back(first_m + length_m, first_offset_m);
}

}  // namespace

Result<LineOffsets> LineOffsets::Load(const std::string& path, const tracks::Track& view) {
  LAPFORGE_TRY(const std::string text, ReadFile(path));
  LAPFORGE_TRY(const tracks::Raceline line, tracks::ParseRacelineCsv(view, text, path));
  LAPFORGE_TRY(Pairs pairs, PairsOf(line, view, path));
  if (view.is_closed()) GoOnBeyondTheSeam(view.length_m(), pairs);

  LineOffsets offsets;
  for (const auto& [arc_length_m, offset_m] : pairs) {
    const double last_m = offsets.arc_lengths_m_.empty() ? 0 : offsets.arc_lengths_m_.back();
    const double gap_m = arc_length_m - last_m;
    if (!offsets.arc_lengths_m_.empty() && gap_m > kMaxGapFrac * view.length_m()) {
      return ErrorOf(path, ": the line has no point from ", FormatFixed(last_m, 2), " to ",
                     FormatFixed(arc_length_m, 2), " m of ", view.name());
    }
    offsets.arc_lengths_m_.push_back(arc_length_m);
    offsets.offsets_m_.push_back(offset_m);
  }
  return offsets;
}

double LineOffsets::At(double arc_length_m) const {
  const auto next = std::upper_bound(arc_lengths_m_.begin(), arc_lengths_m_.end(), arc_length_m);
  if (next == arc_lengths_m_.begin()) return offsets_m_.front();
  if (next == arc_lengths_m_.end()) return offsets_m_.back();
  const auto i = static_cast<size_t>(next - arc_lengths_m_.begin());
  const double from_m = arc_lengths_m_[i - 1];
  return Lerp(offsets_m_[i - 1], offsets_m_[i],
              (arc_length_m - from_m) / (arc_lengths_m_[i] - from_m));
}

}  // namespace lapforge::reward
