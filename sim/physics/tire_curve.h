// The tyre: how much of the available grip a slip uses.
#pragma once

#include <array>

namespace lapforge::sim {

// The curve sin(C * atan(B * slip)) of spec/simulation.md section 1, as a table: four tyres read it
// 120 times a second, and two calls of libm each time cost more than the rest of the wheel.
class TireCurve {
 public:
  TireCurve(double stiffness_factor, double shape_factor);

  // Share of the available grip per m/s of slip speed, when the contact patch slides at
  // `slip_speed_mps` >= 0 over ground passing at `rolling_speed_mps` > 0. Finite at zero slip, so
  // force = result * friction * load * slip velocity needs no special case. NaN gives NaN.
  float GripPerSlipSpeed(float slip_speed_mps, float rolling_speed_mps) const {
    // squeeze 0 .. infinity into 0 .. 1: x = B * slip becomes x / (1 + x)
    const float scaled_mps = stiffness_factor_ * slip_speed_mps;
    const float inverse_sum = 1.0f / (rolling_speed_mps + scaled_mps);
    const float squeezed = scaled_mps * inverse_sum;

    const float place = squeezed < 1.0f ? squeezed * kNumIntervals : kNumIntervals - 0.01f;
    const int index = static_cast<int>(place);
    const float low = table_[index];
    const float value = low + (place - static_cast<float>(index)) * (table_[index + 1] - low);
    return value * stiffness_factor_ * inverse_sum;
  }

 private:
  // Linear interpolation between 512 intervals is within 1e-5 of the curve.
  static constexpr int kNumIntervals = 512;

  float stiffness_factor_;
  std::array<float, kNumIntervals + 1> table_;  // sin(C * atan(x)) / squeezed
};

}  // namespace lapforge::sim
