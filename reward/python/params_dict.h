// The dictionary that a user's reward_function receives: DeepRacer's 27 keys from StepFacts.
#pragma once

#include <array>
#include <vector>

#include "reward/python/interpreter.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::reward {

/// The keys in the order of the dictionary; reward/README.md lists the source of each.
inline constexpr std::array kParamKeys = {"all_wheels_on_track",
                                          "x",
                                          "y",
                                          "heading",
                                          "distance_from_center",
                                          "projection_distance",
                                          "progress",
                                          "steps",
                                          "speed",
                                          "steering_angle",
                                          "track_width",
                                          "track_length",
                                          "waypoints",
                                          "closest_waypoints",
                                          "is_left_of_center",
                                          "is_reversed",
                                          "closest_objects",
                                          "objects_location",
                                          "objects_left_of_center",
                                          "object_in_camera",
                                          "objects_speed",
                                          "objects_heading",
                                          "objects_distance_from_center",
                                          "objects_distance",
                                          "is_crashed",
                                          "is_offtrack",
                                          "sim_time"};

/// Which keys a dictionary has: DeepRacer's 27, or the extra ones (extra_keys.h) too.
enum class ParamKeySet { kDeepracer, kAll };

/// Makes the params of steps on one view of a track. The lock must be held in every call, in the
/// destructor too.
///
/// A template with everything constant is copied for each step, and the rest set in the copy, so
/// nothing that a user does to one dictionary reaches the next. Only the list of waypoints is
/// shared: before it is given out again its elements are compared by address with a tuple that
/// nobody else holds (the (x, y) tuples themselves cannot change); a list that a user changed is
/// replaced.
class ParamsDict {
 public:
  explicit ParamsDict(tracks::Track view, ParamKeySet key_set = ParamKeySet::kDeepracer);

  /// A new dictionary for one step on this view.
  PyRef Make(const sim::StepFacts& facts);

 private:
  void SetConstants();
  void SetExtras(const sim::StepFacts& facts, PyObject* dict) const;
  void RenewWaypointsIfChanged();
  PyRef MakeClosestWaypoints(double arc_length_m) const;
  bool IsLeftOfCenter(const sim::StepFacts& facts) const;

  tracks::Track view_;
  std::vector<double> waypoint_arc_lengths_m_;  // the last one is the length of the track
  std::vector<PyRef> keys_;                     // interned, in the order of kParamKeys
  std::vector<PyRef> extra_keys_;               // interned, of ExtraKeys(); empty without them
  PyRef waypoints_;                             // tuple of (x, y), never given out
  PyRef waypoint_list_;                         // what users see
  PyRef template_;
};

}  // namespace lapforge::reward
