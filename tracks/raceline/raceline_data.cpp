// Limits, and looking up points of a line.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/assert.h"
#include "tracks/raceline.h"

namespace lapforge::tracks {
namespace {

Result<void> CheckRange(const char* name, double value, double low, double high) {
  if (value >= low && value <= high) return {};
  return ErrorOf(name, " ", value, " is out of range; expected ", low, " .. ", high);
}

Result<void> CheckMotor(const std::vector<MotorPoint>& motor) {
  constexpr size_t kMaxPoints = 1000;
  if (motor.empty() || motor.size() > kMaxPoints) {
    return ErrorOf("motor has ", motor.size(), " points; expected 1 .. ", kMaxPoints);
  }
  for (size_t i = 0; i < motor.size(); ++i) {
    const auto& [speed_mps, accel_mps2] = motor[i];
    const bool is_last = i + 1 == motor.size();
    LAPFORGE_CHECK_OK(CheckRange("motor.speed_mps", speed_mps, is_last ? 0.01 : 0, 1000));
    LAPFORGE_CHECK_OK(CheckRange("motor.accel_mps2", accel_mps2, is_last ? 0 : 0.01, 1000));
    if (i > 0 && speed_mps <= motor[i - 1].speed_mps) {
      return ErrorOf("motor.speed_mps ", speed_mps, " must be above the one before, ",
                     motor[i - 1].speed_mps);
    }
  }
  return {};
}

}  // namespace

double RacelineLimits::MotorAccel(double speed_mps) const {
  if (speed_mps >= TopSpeed()) return 0;
  if (speed_mps <= motor.front().speed_mps) return motor.front().accel_mps2;
  const auto above = std::upper_bound(
      motor.begin(), motor.end(), speed_mps,
      [](double speed, const MotorPoint& point) { return speed < point.speed_mps; });
  const MotorPoint& from = above[-1];
  return Lerp(from.accel_mps2, above->accel_mps2,
              (speed_mps - from.speed_mps) / (above->speed_mps - from.speed_mps));
}

Result<void> Validate(const RacelineLimits& limits) {
  LAPFORGE_CHECK_OK(
      CheckRange("longitudinal_accel_mps2", limits.longitudinal_accel_mps2, 0.01, 1000));
  LAPFORGE_CHECK_OK(CheckRange("lateral_accel_mps2", limits.lateral_accel_mps2, 0.01, 1000));
  LAPFORGE_CHECK_OK(CheckMotor(limits.motor));
  LAPFORGE_CHECK_OK(CheckRange("brake_decel_mps2", limits.brake_decel_mps2, 0.01, 1000));
  LAPFORGE_CHECK_OK(CheckRange("yaw_accel_radps2", limits.yaw_accel_radps2, 0.01, 1e6));
  LAPFORGE_CHECK_OK(CheckRange("car_width_m", limits.car_width_m, 0, 10));
  LAPFORGE_CHECK_OK(CheckRange("margin_m", limits.margin_m, -0.5 * limits.car_width_m, 100));
  return CheckRange("max_curvature_1pm", limits.max_curvature_1pm, 0.001, 1000);
}

RacelinePoint Raceline::At(double arc_length_m) const {
  LAPFORGE_ASSERT(points.size() >= 2, "a line has two points or more");
  double arc_m = arc_length_m > 0 ? std::min(arc_length_m, length_m) : 0;  // NaN becomes 0
  if (is_closed && std::isfinite(arc_length_m)) {
    arc_m = arc_length_m - length_m * std::floor(arc_length_m / length_m);
  }

  // guess the segment as if points were even, and walk to the true one
  const int num_segments = static_cast<int>(points.size()) - (is_closed ? 0 : 1);
  int i = std::clamp(static_cast<int>(arc_m / length_m * num_segments), 0, num_segments - 1);
  while (i > 0 && points[i].arc_length_m > arc_m) --i;
  while (i + 1 < num_segments && points[i + 1].arc_length_m <= arc_m) ++i;

  const RacelinePoint& from = points[i];
  const bool is_seam = i + 1 == static_cast<int>(points.size());
  const RacelinePoint& to = points[is_seam ? 0 : i + 1];
  const double to_arc_m = is_seam ? length_m : to.arc_length_m;
  const double fraction =
      Clamp((arc_m - from.arc_length_m) / (to_arc_m - from.arc_length_m), 0.0, 1.0);
  RacelinePoint at = from;
  at.arc_length_m = arc_m;
  at.position_m = Lerp(from.position_m, to.position_m, fraction);
  at.yaw_rad = WrapAngle(from.yaw_rad + fraction * WrapAngle(to.yaw_rad - from.yaw_rad));
  at.curvature_1pm = Lerp(from.curvature_1pm, to.curvature_1pm, fraction);
  at.speed_mps =
      std::sqrt(Lerp(from.speed_mps * from.speed_mps, to.speed_mps * to.speed_mps, fraction));
  at.lateral_offset_m = Lerp(from.lateral_offset_m, to.lateral_offset_m, fraction);
  // the projection may wrap between the points
  const double track_step_m = to.track_arc_length_m - from.track_arc_length_m;
  const bool is_across_start = std::abs(track_step_m) > 0.5 * length_m;
  if (!is_across_start) at.track_arc_length_m += fraction * track_step_m;
  return at;
}

}  // namespace lapforge::tracks
