// The dictionary of arrays that a user's reward_batch receives.
#pragma once

#include <cstddef>
#include <vector>

#include "reward/python/interpreter.h"
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
  BatchParams();

  PyRef Make(const BatchSteps& steps, ParamsDict& params);

 private:
  using Column = std::vector<PyObject*>;  // borrowed: one key's values in all steps

  struct WaypointArray {
    PyRef list;
    PyRef array;
  };

  PyRef MakeWaypoints(PyObject* list);
  PyRef MakeEntry(PyObject* key, const Column& column);
  template <class T, class Number>
  PyRef MakeArray(const PyRef& type, size_t size, const Number& number_at) const;

  PyRef numpy_;
  PyRef float_type_;
  PyRef bool_type_;
  PyRef int_type_;
  PyRef waypoints_key_;
  PyRef env_index_key_;
  std::vector<WaypointArray> waypoints_;  // of each view
};

/// The numbers of a contiguous float64 array.
std::vector<double> NumbersOf(const PyRef& array);

}  // namespace lapforge::reward
