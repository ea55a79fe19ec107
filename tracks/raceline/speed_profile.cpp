// Forward-backward pass of the quasi-steady-state point mass: the speed that grip allows in each
// bend, lowered forwards to what the motor reaches and backwards to what the brakes can shed
// (A. Heilmeier et al., Vehicle System Dynamics 58(10), 2020, section 3.3; N. R. Kapania,
// J. Subosits and J. C. Gerdes, A sequential two-step algorithm for fast generation of vehicle
// racing trajectories, J. Dynamic Systems, Measurement and Control 138(9), 2016, equations 11 to
// 13). Turning and driving share the grip as an ellipse.
#include "tracks/raceline/speed_profile.h"

#include <algorithm>
#include <cmath>

namespace lapforge::tracks {
namespace {

constexpr double kStraight_1pm = 1e-12;

// Where turning takes all the grip, the slope of the ellipse has no bounds.
constexpr double kMinEllipse = 0.01;

class Passes {
 public:
  Passes(const LineShape& shape, bool is_closed, const RacelineLimits& limits)
      : shape_(shape),
        limits_(limits),
        size_(static_cast<int>(shape.curvature_1pm.size())),
        num_segments_(static_cast<int>(shape.length_m.size())) {
    const double top_speed_sq = limits.TopSpeed() * limits.TopSpeed();
    for (const double curvature_1pm : shape.curvature_1pm) {
      const double bend_1pm = std::max(kStraight_1pm, std::abs(curvature_1pm));
      speed_sq_.push_back(std::min(top_speed_sq, limits.lateral_accel_mps2 / bend_1pm));
    }
    if (is_closed) {
      // nothing before or behind can lower the slowest bend: there the passes begin and end
      first_ = static_cast<int>(std::min_element(speed_sq_.begin(), speed_sq_.end()) -
                                speed_sq_.begin());
    } else {
      speed_sq_[0] = 0;
    }
    PassForward();
    PassBackward();
  }

  SpeedProfile Profile() const {
    SpeedProfile profile;
    for (const double speed_sq : speed_sq_) profile.speed_mps.push_back(std::sqrt(speed_sq));
    profile.accel_mps2.assign(size_, 0.0);
    for (int i = 0; i < num_segments_; ++i) {
      const int next = Wrap(i + 1);
      const double length_m = shape_.length_m[i];
      profile.time_s += 2 * length_m / (profile.speed_mps[i] + profile.speed_mps[next]);
      profile.accel_mps2[i] = (speed_sq_[next] - speed_sq_[i]) / (2 * length_m);
    }
    return profile;
  }

 private:
  int Wrap(int i) const { return i < size_ ? i : i - size_; }

  void PassForward() {
    for (int k = 0; k < num_segments_; ++k) {
      const int i = Wrap(first_ + k), next = Wrap(i + 1);
      const double motor_mps2 = MotorPull(limits_, speed_sq_[i]).accel_mps2;
      Reach(i, next, motor_mps2, shape_.length_m[i]);
    }
  }

  void PassBackward() {
    for (int k = num_segments_ - 1; k >= 0; --k) {
      const int i = Wrap(first_ + k), next = Wrap(i + 1);
      Reach(next, i, limits_.brake_decel_mps2, shape_.length_m[i]);
    }
  }

  // Lowers the speed at one point to what can be reached from its neighbour, with the grip that the
  // ellipse leaves at the faster point of both: evaluated at the slower one, more speed there could
  // mean less speed here, and the passes would no longer give the fastest profile.
  void Reach(int from, int to, double accel_mps2, double length_m) {
    const double straight_sq = 2 * length_m * limits_.longitudinal_accel_mps2;
    const double bend = std::abs(shape_.curvature_1pm[to]) / limits_.lateral_accel_mps2;
    // ((to - from) / straight)^2 + (to * bend)^2 = 1, all of squared speeds
    const double stretch = 1 + straight_sq * straight_sq * bend * bend;
    double by_grip = speed_sq_[to];  // already what turning allows
    if (bend * speed_sq_[from] < 1) {
      const double root = stretch - bend * bend * speed_sq_[from] * speed_sq_[from];
      by_grip = (speed_sq_[from] + straight_sq * std::sqrt(root)) / stretch;
    }
    const double by_force = speed_sq_[from] + 2 * length_m * accel_mps2;
    speed_sq_[to] = std::min({speed_sq_[to], by_grip, by_force});
  }

  const LineShape& shape_;
  const RacelineLimits& limits_;
  int size_;
  int num_segments_;
  int first_ = 0;
  std::vector<double> speed_sq_;  // [size] m2/s2, lowered pass by pass
};

}  // namespace

SpeedProfile ProfileOf(const LineShape& shape, bool is_closed, const RacelineLimits& limits) {
  return Passes(shape, is_closed, limits).Profile();
}

Pull GripLeft(const RacelineLimits& limits, double speed_sq, double curvature_1pm) {
  const double used = std::min(1.0, speed_sq * std::abs(curvature_1pm) / limits.lateral_accel_mps2);
  const double left = std::sqrt(1 - used * used);
  const double by_used = -limits.longitudinal_accel_mps2 * used / std::max(kMinEllipse, left);
  return {limits.longitudinal_accel_mps2 * left,
          by_used * std::abs(curvature_1pm) / limits.lateral_accel_mps2,
          by_used * speed_sq / limits.lateral_accel_mps2 * std::copysign(1, curvature_1pm)};
}

Pull MotorPull(const RacelineLimits& limits, double speed_sq) {
  constexpr double kNudge_mps = 1e-6;
  const double speed_mps = std::sqrt(speed_sq);
  const double accel_mps2 = limits.MotorAccel(speed_mps);
  const double by_speed = (limits.MotorAccel(speed_mps + kNudge_mps) - accel_mps2) / kNudge_mps;
  return {accel_mps2, by_speed / (2 * std::max(kNudge_mps, speed_mps)), 0};
}

}  // namespace lapforge::tracks
