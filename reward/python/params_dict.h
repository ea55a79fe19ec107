// The dictionary that a user's reward_function receives: DeepRacer's 27 keys from StepFacts.
#pragma once

#include <array>
#include <vector>

#include "reward/python/interpreter.h"
#include "reward/python/param_values.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::reward {

/// The keys in the order of the dictionary.
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
/// A function sees a new dictionary in each call, as far as it can tell: what it keeps, of the
/// dictionary or of its values, stays as it was, and nothing it does to them reaches the next call.
/// Where nobody else holds the last dictionary and nothing was set in it, it is filled again, and
/// so are the numbers in it that nobody else holds. Only the list of waypoints is shared: before it
/// is given out again its elements are compared by address with a tuple that nobody else holds (the
/// (x, y) tuples themselves cannot change); a list that a user changed is replaced.
class ParamsDict {
 public:
  explicit ParamsDict(tracks::Track view, ParamKeySet key_set = ParamKeySet::kDeepracer);

  /// The dictionary for one step on this view. Whoever still holds it in the next call keeps it.
  PyRef Make(const sim::StepFacts& facts);

 private:
  struct Entry {
    PyRef key;                  // interned
    PyObject* value = nullptr;  // of dict_, borrowed
  };

  bool IsUntouched() const;
  void Renew();
  void Replace(Entry& entry, PyRef value);
  void SetFloat(Entry& entry, double value);
  void SetBool(Entry& entry, bool value);
  void SetInt(Entry& entry, int64_t value);
  void SetPair(Entry& entry, const ParamValues::Pair& pair);
  void SetObjects(const sim::StepFacts& facts);
  void SetExtras(const sim::StepFacts& facts);
  void RenewWaypointsIfChanged();

  ParamReader reader_;
  std::vector<Entry> entries_;  // in the order of kParamKeys, then of ExtraKeys() if wanted
  PyRef waypoints_;             // tuple of (x, y), never given out
  PyRef waypoint_list_;         // what users see
  PyRef template_;              // all keys, without values but the waypoints
  PyRef dict_;                  // of the last step; null before the first
};

}  // namespace lapforge::reward
