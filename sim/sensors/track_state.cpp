#include "sim/sensors/track_state.h"

#include <algorithm>

namespace lapforge::sim {
namespace {

// The centerline `ahead_m` further on; beyond the end of an open track straight on.
Vec2 CenterAhead(const tracks::Track& track, double arc_length_m, double ahead_m) {
  const double wanted_m = arc_length_m + ahead_m;
  const Vec2 point_m = track.CenterAt(wanted_m);
  if (track.is_closed() || wanted_m <= track.length_m()) return point_m;
  return point_m + DirectionOf(track.TangentYawAt(wanted_m)) * (wanted_m - track.length_m());
}

}  // namespace

int TrackStateSize(const SensorOptions& options) {
  return 9 + 2 * static_cast<int>(options.look_ahead_m.size());
}

void WriteTrackState(const SensorOptions& options, const tracks::Track& track,
                     const StepFacts& facts, std::span<float> numbers) {
  size_t next = 0;
  const auto put = [&](double number) { numbers[next++] = static_cast<float>(number); };

  const double arc_length_m = facts.position.arc_length_m;
  const double offset_m = facts.position.lateral_offset_m;
  const tracks::HalfWidths here = track.HalfWidthsAt(arc_length_m);
  const tracks::HalfWidths ahead = track.HalfWidthsAt(arc_length_m + 1);
  constexpr double kMinHalfWidthM = 1e-3;  // tracks may pinch to nothing
  put(offset_m / std::max(offset_m > 0 ? here.left_m : here.right_m, kMinHalfWidthM));
  put(facts.heading_error_rad);
  put(facts.car.velocity_body_mps.x / 2 - 1);
  put(facts.car.velocity_body_mps.y);
  put(facts.car.angular_velocity_body_radps.z / 5);
  put(facts.action[0]);
  put(facts.action[1]);
  const Pose2 frame = {facts.front_point_m, facts.car.yaw_rad};
  for (const double distance_m : options.look_ahead_m) {
    const Vec2 point = frame.ToLocal(CenterAhead(track, arc_length_m, distance_m));
    put(point.x / (distance_m + 0.3));
    put(point.y / (distance_m + 0.3));
  }
  put(here.left_m + here.right_m - 1);
  put(ahead.left_m + ahead.right_m - 1);
}

}  // namespace lapforge::sim
