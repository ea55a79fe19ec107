// What the params say of one step, as plain numbers: shared by the dictionary and the arrays.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::reward {

/// DeepRacer's keys but for waypoints and lists of objects, named as the keys are; reward/README.md
/// lists the source of each.
struct ParamValues {
  using Pair = std::array<int64_t, 2>;

  double x, y;
  double heading;
  double distance_from_center;
  double projection_distance;
  double progress;
  double steps;
  double speed;
  double steering_angle;
  double track_width;
  double track_length;
  double sim_time;
  bool all_wheels_on_track;
  bool is_left_of_center;
  bool is_reversed;
  bool object_in_camera;
  bool is_crashed;
  bool is_offtrack;
  Pair closest_waypoints;
  Pair closest_objects;
};

/// A key and where its values are.
template <class T>
struct ValueKey {
  const char* name;
  T ParamValues::*value;
};

inline constexpr ValueKey<double> kFloatKeys[] = {
    {"x", &ParamValues::x},
    {"y", &ParamValues::y},
    {"heading", &ParamValues::heading},
    {"distance_from_center", &ParamValues::distance_from_center},
    {"projection_distance", &ParamValues::projection_distance},
    {"progress", &ParamValues::progress},
    {"steps", &ParamValues::steps},
    {"speed", &ParamValues::speed},
    {"steering_angle", &ParamValues::steering_angle},
    {"track_width", &ParamValues::track_width},
    {"track_length", &ParamValues::track_length},
    {"sim_time", &ParamValues::sim_time},
};
inline constexpr ValueKey<bool> kBoolKeys[] = {
    {"all_wheels_on_track", &ParamValues::all_wheels_on_track},
    {"is_left_of_center", &ParamValues::is_left_of_center},
    {"is_reversed", &ParamValues::is_reversed},
    {"object_in_camera", &ParamValues::object_in_camera},
    {"is_crashed", &ParamValues::is_crashed},
    {"is_offtrack", &ParamValues::is_offtrack},
};
inline constexpr ValueKey<ParamValues::Pair> kPairKeys[] = {
    {"closest_waypoints", &ParamValues::closest_waypoints},
    {"closest_objects", &ParamValues::closest_objects},
};

/// Reads the values of steps on one view of a track.
class ParamReader {
 public:
  explicit ParamReader(tracks::Track view);

  ParamValues Read(const sim::StepFacts& facts) const;

  const tracks::Track& view() const { return view_; }

 private:
  ParamValues::Pair ClosestWaypoints(const tracks::TrackPosition& position) const;
  bool IsLeftOfCenter(const sim::StepFacts& facts) const;

  tracks::Track view_;
  double length_m_;
  std::vector<double> waypoint_arc_lengths_m_;  // the last one is the length of the track
};

}  // namespace lapforge::reward
