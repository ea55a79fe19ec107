#include "tracks/geometry/arc_table.h"

#include <algorithm>
#include <cmath>

namespace lapforge::tracks {
namespace {

constexpr double kStep_m = 0.05;            // finer than the rows of any known track file
constexpr double kMaxSteps = 1 << 16;       // 3 km at that step
constexpr double kCurvatureReach_m = 0.25;  // heading is compared this far ahead and behind: evens
                                            // out jitter of the rows, keeps the tightest hairpins

// The heading of a polyline as a continuous function: each segment's at its middle, linear between.
class Heading {
 public:
  Heading(const Polyline& center, bool is_ring) : is_ring_(is_ring), length_m_(center.length_m()) {
    double heading_rad = 0;
    for (int i = 0; i < center.num_segments(); ++i) {
      if (i > 0) heading_rad += Turn(center, i - 1, i);
      middle_m_.push_back(0.5 * (center.arc_m(i) + center.arc_m(i + 1)));
      heading_rad_.push_back(heading_rad);
    }
    if (!is_ring) return;

    // the ring goes on: its first segment again behind the last, its last one before the first
    const int last = center.num_segments() - 1;
    const double seam_turn_rad = Turn(center, last, 0);
    middle_m_.insert(middle_m_.begin(), middle_m_[last] - length_m_);
    heading_rad_.insert(heading_rad_.begin(), -seam_turn_rad);
    middle_m_.push_back(middle_m_[1] + length_m_);
    heading_rad_.push_back(heading_rad + seam_turn_rad);
    lap_turn_rad_ = heading_rad + seam_turn_rad;
  }

  double CurvatureAt(double arc_m) const {
    double from_m = arc_m - kCurvatureReach_m;
    double to_m = arc_m + kCurvatureReach_m;
    if (!is_ring_) {
      from_m = Clamp(from_m, middle_m_.front(), middle_m_.back());
      to_m = Clamp(to_m, middle_m_.front(), middle_m_.back());
    }
    return to_m > from_m ? (At(to_m) - At(from_m)) / (to_m - from_m) : 0;
  }

 private:
  static double Turn(const Polyline& center, int from, int to) {
    const Vec2 a = center.direction(from);
    const Vec2 b = center.direction(to);
    return std::atan2(Cross(a, b), Dot(a, b));
  }

  double At(double arc_m) const {
    double laps = 0;
    if (is_ring_) laps = std::floor(arc_m / length_m_);
    const double wrapped_m = Clamp(arc_m - laps * length_m_, middle_m_.front(), middle_m_.back());
    const auto above = std::upper_bound(middle_m_.begin() + 1, middle_m_.end() - 1, wrapped_m);
    const size_t i = above - middle_m_.begin();
    const double fraction = (wrapped_m - middle_m_[i - 1]) / (middle_m_[i] - middle_m_[i - 1]);
    return Lerp(heading_rad_[i - 1], heading_rad_[i], fraction) + laps * lap_turn_rad_;
  }

  bool is_ring_;
  double length_m_;
  double lap_turn_rad_ = 0;
  std::vector<double> middle_m_;
  std::vector<double> heading_rad_;
};

}  // namespace

ArcTable::ArcTable(const Polyline& center, bool is_ring) {
  const double num_steps = Clamp(std::ceil(center.length_m() / kStep_m), 1.0, kMaxSteps);
  step_m_ = center.length_m() / num_steps;
  samples_.resize(static_cast<size_t>(num_steps) + 1);

  const Heading heading(center, is_ring);
  int segment = 0;
  for (int i = 0; i < num_samples(); ++i) {
    const double arc_m = std::min(SampleArc(i), center.length_m());
    while (segment + 1 < center.num_segments() && center.arc_m(segment + 1) <= arc_m) ++segment;
    samples_[i].segment = segment;
    samples_[i].curvature_1pm = heading.CurvatureAt(arc_m);
  }
}

ArcTable::Place ArcTable::Find(double arc_length_m) const {
  const double steps = arc_length_m / step_m_;
  const int index = std::min(static_cast<int>(steps), num_samples() - 2);
  return {index, steps - index};
}

int ArcTable::SegmentAt(const Polyline& center, double arc_length_m) const {
  int segment = samples_[Find(arc_length_m).index].segment;
  while (segment > 0 && center.arc_m(segment) > arc_length_m) --segment;
  while (segment + 1 < center.num_segments() && center.arc_m(segment + 1) <= arc_length_m) {
    ++segment;
  }
  return segment;
}

double ArcTable::CurvatureAt(double arc_length_m) const {
  const auto [i, fraction] = Find(arc_length_m);
  return Lerp(samples_[i].curvature_1pm, samples_[i + 1].curvature_1pm, fraction);
}

HalfWidths ArcTable::HalfWidthsAt(double arc_length_m) const {
  const auto [i, fraction] = Find(arc_length_m);
  const HalfWidths& a = samples_[i].widths;
  const HalfWidths& b = samples_[i + 1].widths;
  return {Lerp(a.left_m, b.left_m, fraction), Lerp(a.right_m, b.right_m, fraction)};
}

}  // namespace lapforge::tracks
