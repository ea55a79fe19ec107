#include "sim/sensors/objects_ahead_sensor.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/assert.h"

namespace lapforge::sim {
namespace {

// As in the track-state sensor: numbers are about -1 .. 1 on the road.
constexpr double kPointRoomM = 0.3;
constexpr double kSpeedMps = 2;
constexpr double kMinHalfWidthM = 0.05;
constexpr double kNearM = 1;

// An object that is ahead, and how far along the track.
struct Ahead {
  const ObjectFacts* object = nullptr;
  double distance_m = 0;
};

// From -passed_m on; on a closed track each object is ahead once.
double DistanceAhead(const tracks::Track& track, double here_m, double there_m, double passed_m) {
  double distance_m = there_m - here_m;
  if (!track.is_closed()) return distance_m;
  if (distance_m < -passed_m) distance_m += track.length_m();
  if (distance_m >= track.length_m() - passed_m) distance_m -= track.length_m();
  return distance_m;
}

void WriteObject(const tracks::Track& track, const StepFacts& facts, const Ahead& ahead,
                 std::span<float> numbers) {
  const ObjectFacts& object = *ahead.object;
  const double way_m = std::abs(ahead.distance_m);
  const Vec2 forward = DirectionOf(facts.car.yaw_rad);
  const Vec2 away_m = object.position_m - facts.front_point_m;
  const tracks::HalfWidths half = track.HalfWidthsAt(object.arc_length_m);
  const double half_m = object.lateral_offset_m > 0 ? half.left_m : half.right_m;
  const std::array<double, ObjectsAheadSensor::kNumNumbers> values = {
      1,
      Dot(forward, away_m) / (way_m + kPointRoomM),
      Cross(forward, away_m) / (way_m + kPointRoomM),
      object.lateral_offset_m / std::max(half_m, kMinHalfWidthM),
      ahead.distance_m / (kNearM + way_m),
      object.speed_mps / kSpeedMps};
  for (size_t i = 0; i < values.size(); ++i) numbers[i] = static_cast<float>(values[i]);
}

}  // namespace

void ObjectsAheadSensor::Write(const tracks::Track& track, const StepFacts& facts,
                               std::span<float> numbers) const {
  LAPFORGE_ASSERT(static_cast<int>(numbers.size()) == size(), "the row fits the sensor");
  std::array<Ahead, kMaxObjects> aheads;
  size_t num_ahead = 0;
  for (int i = 0; i < facts.num_objects; ++i) {
    const ObjectFacts& object = facts.objects[static_cast<size_t>(i)];
    const double distance_m =
        DistanceAhead(track, facts.position.arc_length_m, object.arc_length_m, passed_m_);
    if (distance_m >= -passed_m_) aheads[num_ahead++] = {&object, distance_m};
  }
  const size_t num_shown = std::min(num_ahead, static_cast<size_t>(count_));
  std::partial_sort(aheads.begin(), aheads.begin() + num_shown, aheads.begin() + num_ahead,
                    [](const Ahead& a, const Ahead& b) { return a.distance_m < b.distance_m; });

  std::fill(numbers.begin(), numbers.end(), 0.0f);
  for (size_t i = 0; i < num_shown; ++i) {
    WriteObject(track, facts, aheads[i], numbers.subspan(i * kNumNumbers, kNumNumbers));
  }
}

}  // namespace lapforge::sim
