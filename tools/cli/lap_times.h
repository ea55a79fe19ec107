// Laps summed up as races are timed (DeepRacer's leagues: spec of the three timing methods).
#pragma once

#include <cstdint>
#include <span>

#include "sim/recording.h"

namespace lapforge::cli {

struct LapTimes {
  int num_complete = 0;         // clean or not
  int64_t best_us = 0;          // the fastest completed lap; 0 without one
  int64_t best_average_us = 0;  // best mean of `window` completed laps in a row, floored to whole
                                // milliseconds; 0 where there are not so many
  int64_t total_us = 0;         // of all completed laps; 0 where no `window` are in a row
};

// `laps` of one track in their order. Where trials have several laps, a row ends with its trial.
LapTimes SumUp(std::span<const sim::LapResult> laps, int window);

}  // namespace lapforge::cli
