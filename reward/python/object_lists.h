// The keys whose values are lists with an element for each object, and lists that can be reused.
#pragma once

#include <cmath>
#include <iterator>

#include "reward/python/interpreter.h"
#include "sim/step_facts.h"

namespace lapforge::reward {

struct ObjectKey {
  const char* name;
  PyObject* (*value)(const sim::ObjectFacts& object);  // new
};

inline constexpr ObjectKey kObjectKeys[] = {
    {"objects_location",
     [](const sim::ObjectFacts& object) {
       return Py_BuildValue("[dd]", object.position_m.x, object.position_m.y);
     }},
    {"objects_left_of_center",
     [](const sim::ObjectFacts& object) { return PyBool_FromLong(object.lateral_offset_m > 0); }},
    {"objects_speed",
     [](const sim::ObjectFacts& object) { return PyFloat_FromDouble(object.speed_mps); }},
    // radians; boxes have none: DeepRacer gives the yaw of cars only
    {"objects_heading",
     [](const sim::ObjectFacts& object) {
       return PyFloat_FromDouble(object.kind == sim::ObjectKind::kBox ? 0 : object.yaw_rad);
     }},
    {"objects_distance_from_center",
     [](const sim::ObjectFacts& object) {
       return PyFloat_FromDouble(std::abs(object.lateral_offset_m));
     }},
    {"objects_distance",
     [](const sim::ObjectFacts& object) { return PyFloat_FromDouble(object.arc_length_m); }},
};
inline constexpr size_t kNumObjectKeys = std::size(kObjectKeys);

/// A new list: a key's value for each object of a step.
PyRef MakeObjectList(const ObjectKey& key, const sim::StepFacts& facts);

/// True where only one owner holds the object, so that nobody else sees it change.
inline bool IsUnshared([[maybe_unused]] PyObject* object) {
#ifdef Py_GIL_DISABLED
  return false;  // another thread may be taking it
#else
  return Py_REFCNT(object) == 1;
#endif
}

inline bool IsUnsharedList(PyObject* object, Py_ssize_t size) {
  return PyList_CheckExact(object) && IsUnshared(object) && PyList_GET_SIZE(object) == size;
}

}  // namespace lapforge::reward
