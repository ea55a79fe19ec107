#include "sim/episode/progress.h"

#include <algorithm>

namespace lapforge::sim {

double DeepRacerProgress(double ndist, double start_ndist, double previous) {
  double current = 100 * (ndist - start_ndist);
  if (current <= 0) current += 100;
  if (previous > current + 50) current += 100;
  if (current > previous + 50) current -= 100;
  return std::min(current, 100.0);
}

double ProgressAt(const tracks::Track& track, double arc_length_m, double start_arc_length_m,
                  double previous_pct) {
  const double length_m = track.length_m();
  if (track.is_closed()) {
    return DeepRacerProgress(arc_length_m / length_m, start_arc_length_m / length_m, previous_pct);
  }
  if (arc_length_m >= length_m) return 100;
  return 100 * (arc_length_m - start_arc_length_m) / (length_m - start_arc_length_m);
}

}  // namespace lapforge::sim
