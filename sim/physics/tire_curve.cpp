#include "sim/physics/tire_curve.h"

#include <cmath>

#include "sim/base/math.h"

namespace lapforge::sim {

TireCurve::TireCurve(double stiffness_factor, double shape_factor)
    : stiffness_factor_(static_cast<float>(stiffness_factor)) {
  table_[0] = static_cast<float>(shape_factor);
  for (int i = 1; i < kNumIntervals; ++i) {
    const double squeezed = static_cast<double>(i) / kNumIntervals;
    const double x = squeezed / (1 - squeezed);
    table_[i] = static_cast<float>(std::sin(shape_factor * std::atan(x)) / squeezed);
  }
  table_[kNumIntervals] = static_cast<float>(std::sin(shape_factor * kPi / 2));
}

}  // namespace lapforge::sim
