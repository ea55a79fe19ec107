// How far a line runs beside the centerline, for rewards that follow a racing line.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"
#include "tracks/track.h"

namespace lapforge::reward {

/// The lateral offset of a line over the arc length of one view of a track.
class LineOffsets {
 public:
  /// Reads TUM's CSV, as `lapforge track raceline --out` writes it; the direction in which it was
  /// driven does not matter. Errors name the file: not such a file, or a line that leaves the road
  /// or does not go the whole way.
  static Result<LineOffsets> Load(const std::string& path, const tracks::Track& view);

  /// From the centerline, left positive; linear between the line's points.
  double At(double arc_length_m) const;

 private:
  std::vector<double> arc_lengths_m_;  // rising; before 0 and beyond the length of a closed track
  std::vector<double> offsets_m_;      // [arc_lengths_m_.size()]
};

}  // namespace lapforge::reward
