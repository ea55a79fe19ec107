#include "tools/cli/lap_times.h"

#include <algorithm>

namespace lapforge::cli {
namespace {

// Mean of the last `window` laps, floored to a millisecond.
int64_t FlooredMeanUs(std::span<const int64_t> laps_us, size_t window) {
  constexpr int64_t kUsPerMs = 1000;
  int64_t sum_us = 0;
  for (const int64_t lap_us : laps_us.last(window)) sum_us += lap_us;
  return sum_us / (static_cast<int64_t>(window) * kUsPerMs) * kUsPerMs;
}

}  // namespace

LapTimes SumUp(std::span<const sim::LapResult> laps, int window) {
  const bool is_rolling =
      std::any_of(laps.begin(), laps.end(), [](const auto& lap) { return lap.lap_index > 0; });
  LapTimes times;
  int64_t sum_us = 0;
  std::vector<int64_t> row_us;
  for (const sim::LapResult& lap : laps) {
    if (is_rolling && lap.lap_index == 0) row_us.clear();
    if (!lap.is_complete()) {
      row_us.clear();
      continue;
    }
    ++times.num_complete;
    sum_us += lap.lap_time_us;
    row_us.push_back(lap.lap_time_us);
    times.best_us = times.best_us == 0 ? lap.lap_time_us : std::min(times.best_us, lap.lap_time_us);
    if (row_us.size() < static_cast<size_t>(window)) continue;
    const int64_t mean_us = FlooredMeanUs(row_us, static_cast<size_t>(window));
    times.best_average_us =
        times.best_average_us == 0 ? mean_us : std::min(times.best_average_us, mean_us);
  }
  if (times.best_average_us > 0) times.total_us = sum_us;
  return times;
}

}  // namespace lapforge::cli
