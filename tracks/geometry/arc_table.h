// Properties along the centerline in a table of equal steps, so that looking ahead costs
// nanoseconds.
#pragma once

#include <vector>

#include "tracks/geometry/polyline.h"
#include "tracks/track.h"

namespace lapforge::tracks {

class ArcTable {
 public:
  // Curvatures and segments; half-widths come by SetHalfWidths.
  ArcTable(const Polyline& center, bool is_ring);

  int num_samples() const { return static_cast<int>(samples_.size()); }
  // Arc length of a sample: from 0 to the length of the centerline, both included.
  double SampleArc(int index) const { return index * step_m_; }
  void SetHalfWidths(int index, HalfWidths widths) { samples_[index].widths = widths; }

  // All for arc lengths in [0, length of the centerline].
  int SegmentAt(const Polyline& center, double arc_length_m) const;
  double CurvatureAt(double arc_length_m) const;
  HalfWidths HalfWidthsAt(double arc_length_m) const;

 private:
  struct Sample {
    double curvature_1pm = 0;
    HalfWidths widths;
    int segment = 0;  // that holds the sample
  };
  struct Place {
    int index = 0;
    double fraction = 0;  // from that sample to the next
  };
  Place Find(double arc_length_m) const;

  double step_m_ = 0;
  std::vector<Sample> samples_;
};

}  // namespace lapforge::tracks
