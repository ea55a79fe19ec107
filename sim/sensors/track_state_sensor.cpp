#include "sim/sensors/track_state_sensor.h"

#include <algorithm>

#include "sim/base/assert.h"

namespace lapforge::sim {
namespace {

// Scalings of spec/learning.md section 2: each number is about -1 .. 1 on the road.
constexpr double kSpeedMps = 2;
constexpr double kYawRateRadps = 5;
constexpr double kPointRoomM = 0.3;
constexpr double kWidthM = 1;
constexpr double kWidthAheadM = 1;
// A border on the centerline would divide by zero.
constexpr double kMinHalfWidthM = 0.05;

double WidthOf(const tracks::HalfWidths& half) { return half.left_m + half.right_m; }

// The centerline point `ahead_m` further; an open track goes on straight beyond its end.
Vec2 CenterAhead(const tracks::Track& track, double arc_length_m) {
  const double beyond_m = arc_length_m - track.length_m();
  if (track.is_closed() || beyond_m <= 0) return track.CenterAt(arc_length_m);
  const double yaw_rad = track.TangentYawAt(track.length_m());
  return track.CenterAt(track.length_m()) + beyond_m * DirectionOf(yaw_rad);
}

}  // namespace

TrackStateSensor::TrackStateSensor(std::vector<double> look_ahead_m)
    : look_ahead_m_(std::move(look_ahead_m)) {
  for (const double distance_m : look_ahead_m_) {
    inverse_scale_1pm_.push_back(1 / (distance_m + kPointRoomM));
  }
}

void TrackStateSensor::Write(const tracks::Track& track, const StepFacts& facts,
                             std::span<float> numbers) const {
  LAPFORGE_ASSERT(static_cast<int>(numbers.size()) == size(), "the row fits the sensor");
  size_t next = 0;
  const auto put = [&](double number) { numbers[next++] = static_cast<float>(number); };

  // the car against the road
  const double offset_m = facts.position.lateral_offset_m;
  const Vec2 border_m = offset_m > 0 ? facts.borders.left_m : facts.borders.right_m;
  put(offset_m / std::max(Length(border_m - facts.position.nearest_center_m), kMinHalfWidthM));
  put(facts.heading_error_rad);
  put(facts.car.velocity_body_mps.x / kSpeedMps - 1);
  put(facts.car.velocity_body_mps.y);
  put(facts.car.angular_velocity_body_radps.z / kYawRateRadps);
  put(facts.action[0]);
  put(facts.action[1]);

  // the road ahead
  const double here_m = facts.position.arc_length_m;
  const Vec2 forward = DirectionOf(facts.car.yaw_rad);
  for (size_t i = 0; i < look_ahead_m_.size(); ++i) {
    const Vec2 away_m = CenterAhead(track, here_m + look_ahead_m_[i]) - facts.front_point_m;
    put(Dot(forward, away_m) * inverse_scale_1pm_[i]);
    put(Cross(forward, away_m) * inverse_scale_1pm_[i]);
  }
  put(WidthOf(track.HalfWidthsAt(here_m)) - kWidthM);
  put(WidthOf(track.HalfWidthsAt(here_m + kWidthAheadM)) - kWidthM);
}

}  // namespace lapforge::sim
