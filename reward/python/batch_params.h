// The dictionary of arrays that a user's reward_batch receives.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "reward/python/extra_keys.h"
#include "reward/python/interpreter.h"
#include "reward/python/object_lists.h"
#include "reward/python/param_values.h"
#include "reward/python/params_dict.h"
#include "sim/step_facts.h"

namespace lapforge::reward {

/// One step of a batch, and its place among the facts of all envs.
struct BatchStep {
  size_t index = 0;
  const sim::StepFacts* facts = nullptr;
};
using BatchSteps = std::vector<BatchStep>;

/// Makes the params of several steps on one view: the keys of ParamsDict, each with an array of
/// what the steps have there. Numbers become float64 or bool [num_steps], closest_waypoints and
/// closest_objects int64 [num_steps, 2], waypoints float64 [num_waypoints, 2], and other lists a
/// list with the list of each step; env_index (int64) says which car a row is of. All arrays are
/// new in each call. Needs numpy. The lock must be held, in the constructor and destructor too.
class BatchParams {
 public:
  explicit BatchParams(tracks::Track view, ParamKeySet key_set = ParamKeySet::kDeepracer);

  PyRef Make(const BatchSteps& steps);

 private:
  // Keys of one type: the rows of one array.
  struct Group {
    PyRef type;               // numpy's
    std::vector<PyRef> keys;  // interned
  };

  Group& GroupOf(ExtraType type);
  template <class T>
  T* AddRows(const Group& group, const BatchSteps& steps, PyObject* batch) const;
  void FillNumbers(const BatchSteps& steps, PyObject* batch) const;
  void FillObjects(const BatchSteps& steps, PyObject* batch);

  ParamReader reader_;
  bool has_extras_;
  PyRef numpy_;
  Group floats_;  // kFloatKeys, then extras of this type
  Group bools_;   // kBoolKeys, then extras
  Group ints_;    // env_index, then extras
  Group pairs_;   // kPairKeys
  PyRef waypoints_key_;
  PyRef waypoints_;  // an array that nobody else sees
  std::array<PyRef, kNumObjectKeys> object_keys_;
  std::array<PyRef, kNumObjectKeys> object_lists_;  // of the last call
  PyRef template_;                                  // the keys in their order, without values
};

/// The numbers of a contiguous float64 array.
std::vector<double> NumbersOf(const PyRef& array);

}  // namespace lapforge::reward
