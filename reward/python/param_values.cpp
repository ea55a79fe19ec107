#include "reward/python/param_values.h"

#include <cmath>

namespace lapforge::reward {
namespace {

// Degrees as a person wrote them: undoes the rounding of degrees -> radians -> degrees, so that
// `steering_angle == 30` holds for an action of 30. Below 1e-9 degrees nobody looks.
double DegreesAsWritten(double angle_rad) {
  constexpr double kSteps = 1e9;
  return std::round(DegFromRad(angle_rad) * kSteps) / kSteps;
}

}  // namespace

ParamReader::ParamReader(tracks::Track view) : view_(std::move(view)), length_m_(view_.length_m()) {
  for (int i = 0; i < view_.num_waypoints(); ++i) {
    waypoint_arc_lengths_m_.push_back(view_.waypoint_arc_length_m(i));
  }
  waypoint_arc_lengths_m_.back() = length_m_;
}

ParamValues ParamReader::Read(const sim::StepFacts& facts) const {
  ParamValues values;
  // where the car is
  values.x = facts.front_point_m.x;
  values.y = facts.front_point_m.y;
  values.heading = DegFromRad(facts.car.yaw_rad);
  values.all_wheels_on_track = facts.all_wheels_on_track;
  values.is_offtrack = facts.is_off_track;

  // on the track
  values.distance_from_center = std::abs(facts.position.lateral_offset_m);
  values.projection_distance = facts.position.arc_length_m;
  values.track_width = Length(facts.borders.left_m - facts.borders.right_m);
  values.track_length = length_m_;
  values.closest_waypoints = ClosestWaypoints(facts.position);
  values.is_left_of_center = IsLeftOfCenter(facts);
  values.is_reversed = view_.is_reversed();

  // in the episode: what was asked for, not what was reached
  values.progress = facts.progress_pct;
  values.steps = facts.steps;
  values.sim_time = facts.sim_time_s;
  values.speed = facts.speed_cmd_mps;
  values.steering_angle = DegreesAsWritten(facts.steering_cmd_rad);

  values.closest_objects = {facts.previous_object, facts.next_object};
  values.object_in_camera = facts.is_next_object_in_camera;
  values.is_crashed = facts.is_crashed;
  return values;
}

// spec/deepracer.md 1.2: bisect_right, and behind the last one follows the first. The segment is
// where to look: its ends are on both sides of the arc length, but for rounding.
ParamValues::Pair ParamReader::ClosestWaypoints(const tracks::TrackPosition& position) const {
  const std::vector<double>& table = waypoint_arc_lengths_m_;
  const auto size = static_cast<int64_t>(table.size());
  const auto at = [&](int64_t index) { return table[static_cast<size_t>(index)]; };
  int64_t next = Clamp(int64_t{position.segment_index} + 1, int64_t{0}, size);
  while (next < size && at(next) <= position.arc_length_m) ++next;
  while (next > 0 && at(next - 1) > position.arc_length_m) --next;
  return {next == 0 ? size - 1 : next - 1, next == size ? 0 : next};
}

bool ParamReader::IsLeftOfCenter(const sim::StepFacts& facts) const {
  const bool is_inner_left = view_.inner_is_left();
  const Vec2 inner_m = is_inner_left ? facts.borders.left_m : facts.borders.right_m;
  const Vec2 outer_m = is_inner_left ? facts.borders.right_m : facts.borders.left_m;
  const bool is_nearer_to_inner =
      Length(facts.front_point_m - inner_m) < Length(facts.front_point_m - outer_m);
  return is_nearer_to_inner != !view_.is_counter_clockwise();
}

}  // namespace lapforge::reward
