// The least time of a point mass with an ellipse of grip, as a quadratic program in offsets and
// squared speeds: grip, motor and brakes become linear conditions around the line at hand and its
// speed profile, which the search recomputes for each line. Squared speed makes the conditions of
// motor and brakes linear and the time convex (D. Verscheure et al., Time-optimal path tracking for
// robots: a convex optimization approach, IEEE Trans. Automatic Control 54(10), 2009).
#include <algorithm>
#include <cmath>

#include "tracks/raceline/line_model.h"
#include "tracks/raceline/line_search.h"
#include "tracks/raceline/speed_profile.h"

namespace lapforge::tracks {
namespace {

// Turning the car into and out of bends costs this share of the time at full yaw acceleration, its
// square at less: bends begin and end gently where that costs little.
constexpr double kYawShare = 0.02;

constexpr double kSteeringWeight = 10;   // s per (1/m)^2 m
constexpr double kMaxSpeedSqFall = 0.9;  // of a step, relative

class TimeModel {
 public:
  TimeModel(const Stations& stations, const RacelineLimits& limits,
            const std::vector<double>& offsets_m)
      : stations_(stations),
        limits_(limits),
        builder_(stations, offsets_m, 2),
        profile_(ProfileOf(builder_.shape(), stations.is_closed, limits)) {
    for (const double speed_mps : profile_.speed_mps) speed_sq_.push_back(speed_mps * speed_mps);
    builder_.model().value = profile_.time_s;
    for (int i = 0; i < builder_.line().num_segments(); ++i) {
      AddTime(i);
      AddYaw(i);
    }
    AddStiffness();
    for (int i = 0; i < stations.size(); ++i) {
      LimitSpeed(i);
      LimitSteering(i);
    }
    for (int i = 0; i < builder_.line().num_segments(); ++i) {
      const int next = builder_.line().Next(i);
      LimitAccel(i, 1, i, MotorPull(limits_, speed_sq_[i]));
      LimitAccel(i, 1, next, GripPull(next));
      LimitAccel(i, -1, next, {limits_.brake_decel_mps2, 0, 0});
      LimitAccel(i, -1, i, GripPull(i));
    }
  }

  LineModel Take() { return std::move(builder_.model()); }

 private:
  static int SpeedUnknown(int i) { return 2 * i + 1; }
  const LineShape& shape() const { return builder_.shape(); }
  bool IsAtRest(int i) const { return !stations_.is_closed && i == 0; }
  Pull GripPull(int i) const { return GripLeft(limits_, speed_sq_[i], shape().curvature_1pm[i]); }

  // 2 length / (sum of the speeds at both ends) and its derivatives
  void AddTime(int i) {
    LocalQp& qp = builder_.model().qp;
    const int ends[] = {i, builder_.line().Next(i)};
    const double length_m = shape().length_m[i];
    const double sum_mps = profile_.speed_mps[ends[0]] + profile_.speed_mps[ends[1]];
    builder_.AddLength(i, 2 / sum_mps);
    for (const int a : ends) {
      if (IsAtRest(a)) continue;
      const double speed_mps = profile_.speed_mps[a];
      const double slope = length_m / (sum_mps * sum_mps * speed_mps);
      qp.gradient[SpeedUnknown(a)] -= slope;
      qp.hessian.Add(SpeedUnknown(a), SpeedUnknown(a), slope / (2 * speed_mps * speed_mps));
      for (const int b : ends) {
        if (b > a || IsAtRest(b)) continue;
        qp.hessian.Add(SpeedUnknown(a), SpeedUnknown(b), slope / (sum_mps * profile_.speed_mps[b]));
      }
    }
  }

  // kYawShare * time * (speed^2 * rise of curvature per metre / yaw acceleration)^2
  void AddYaw(int i) {
    const int next = builder_.line().Next(i);
    const bool is_at_end = !stations_.is_closed && (i == 0 || next + 1 == stations_.size());
    if (is_at_end) return;
    const double speed_mps = 0.5 * (profile_.speed_mps[i] + profile_.speed_mps[next]);
    const double per_rise =
        speed_mps * speed_mps / (shape().length_m[i] * limits_.yaw_accel_radps2);
    const double rise_1pm = shape().curvature_1pm[next] - shape().curvature_1pm[i];
    const double weight = kYawShare * shape().length_m[i] / speed_mps * per_rise * per_rise;
    builder_.model().value += weight * rise_1pm * rise_1pm;
    builder_.AddCurvatureRise(i, 2 * weight * rise_1pm, 2 * weight);
  }

  // How far the linear conditions may be trusted: a change of all curvatures by their usual size is
  // as bad as the whole time.
  void AddStiffness() {
    double sum_sq = 0;
    for (const double curvature_1pm : shape().curvature_1pm) {
      sum_sq += curvature_1pm * curvature_1pm;
    }
    const double stiffness = profile_.time_s / std::max(1e-6, sum_sq);
    for (int i = 0; i < stations_.size(); ++i) builder_.AddCurvature(i, 0, stiffness);
  }

  void LimitSpeed(int i) {
    Condition top, fall;
    top.Add(SpeedUnknown(i), 1);
    top.limit = IsAtRest(i) ? 0 : limits_.TopSpeed() * limits_.TopSpeed() - speed_sq_[i];
    fall.Add(SpeedUnknown(i), -1);
    fall.limit = kMaxSpeedSqFall * speed_sq_[i];
    Keep(top);
    Keep(fall);
    for (const double side : {1.0, -1.0}) {
      Condition grip;
      grip.Add(SpeedUnknown(i), side * shape().curvature_1pm[i]);
      builder_.AddCurvature(i, side * speed_sq_[i], grip);
      grip.limit = limits_.lateral_accel_mps2 - side * shape().curvature_1pm[i] * speed_sq_[i];
      Keep(grip);
    }
  }

  void LimitSteering(int i) {
    const double curvature_1pm = shape().curvature_1pm[i];
    const double room_1pm = limits_.max_curvature_1pm - std::abs(curvature_1pm);
    if (room_1pm < 0)
      builder_.model().value += kSteeringWeight * stations_.step_m * room_1pm * room_1pm;
    Condition steering;
    builder_.AddCurvature(i, std::copysign(1, curvature_1pm), steering);
    steering.limit = std::max(0.0, room_1pm);
    Keep(steering);
  }

  // `sign` * acceleration of the segment behind point i is at most what pulls at point `at`.
  void LimitAccel(int i, double sign, int at, const Pull& pull) {
    const int next = builder_.line().Next(i);
    const double length_m = shape().length_m[i];
    const double accel_mps2 = sign * profile_.accel_mps2[i];
    const double by_speed_sq = sign / (2 * length_m);
    Condition condition;
    condition.Add(SpeedUnknown(next), by_speed_sq);
    condition.Add(SpeedUnknown(i), -by_speed_sq);
    condition.Add(SpeedUnknown(at), -pull.by_speed_sq);
    builder_.AddCurvature(at, -pull.by_curvature, condition);
    builder_.AddLength(i, -accel_mps2 / length_m, condition);
    condition.limit = pull.accel_mps2 - accel_mps2;
    Keep(condition);
  }

  void Keep(const Condition& condition) { builder_.model().qp.conditions.push_back(condition); }

  const Stations& stations_;
  const RacelineLimits& limits_;
  LineModelBuilder builder_;
  SpeedProfile profile_;
  std::vector<double> speed_sq_;
};

}  // namespace

std::vector<double> FastestLine(const Stations& stations, const Borders& borders,
                                const RacelineLimits& limits, std::vector<double> start_m) {
  const auto make_model = [&](const std::vector<double>& offsets_m) {
    return TimeModel(stations, limits, offsets_m).Take();
  };
  DescentOptions options;
  options.first_caution = 0.1;
  options.least_caution = 1e-4;
  options.enough = 5e-5;
  return Descend(stations, borders, options, make_model, std::move(start_m));
}

}  // namespace lapforge::tracks
