#include "reward/python/params_dict.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "reward/python/extra_keys.h"
#include "sim/base/assert.h"

namespace lapforge::reward {
namespace {

consteval size_t KeyIndex(std::string_view name) {
  size_t index = 0;
  while (kParamKeys[index] != name) ++index;  // a misspelt name does not compile
  return index;
}

// Sets entries of a dictionary by keys known at compile time, and owns what it is given.
class Entries {
 public:
  Entries(PyObject* dict, const std::vector<PyRef>& keys) : dict_(dict), keys_(keys) {}

  void Set(size_t key_index, PyRef value) const {
    LAPFORGE_ASSERT(value && PyDict_SetItem(dict_, keys_[key_index].get(), value.get()) == 0,
                    "Python is out of memory");
  }
  void SetFloat(size_t key_index, double value) const {
    Set(key_index, PyRef(PyFloat_FromDouble(value)));
  }
  void SetBool(size_t key_index, bool value) const {
    Set(key_index, PyRef(PyBool_FromLong(value)));
  }

 private:
  PyObject* dict_;
  const std::vector<PyRef>& keys_;
};

PyRef MakeIntPair(int64_t first, int64_t second) {
  PyRef list(PyList_New(2));
  LAPFORGE_ASSERT(list, "Python is out of memory");
  PyList_SET_ITEM(list.get(), 0, PyLong_FromLongLong(first));
  PyList_SET_ITEM(list.get(), 1, PyLong_FromLongLong(second));
  return list;
}

// One list of the params: what `make` makes of each object.
template <class Make>
PyRef ListOf(const sim::StepFacts& facts, const Make& make) {
  PyRef list(PyList_New(facts.num_objects));
  LAPFORGE_ASSERT(list, "Python is out of memory");
  for (int i = 0; i < facts.num_objects; ++i) {
    PyList_SET_ITEM(list.get(), i, make(facts.objects[static_cast<size_t>(i)]));
  }
  return list;
}

void SetObjects(const sim::StepFacts& facts, const Entries& entries) {
  using Object = sim::ObjectFacts;
  entries.Set(KeyIndex("objects_location"), ListOf(facts, [](const Object& object) {
                return Py_BuildValue("[dd]", object.position_m.x, object.position_m.y);
              }));
  entries.Set(KeyIndex("objects_left_of_center"), ListOf(facts, [](const Object& object) {
                return PyBool_FromLong(object.lateral_offset_m > 0);
              }));
  entries.Set(KeyIndex("objects_speed"), ListOf(facts, [](const Object& object) {
                return PyFloat_FromDouble(object.speed_mps);
              }));
  // radians; boxes have none: DeepRacer gives the yaw of cars only
  entries.Set(
      KeyIndex("objects_heading"), ListOf(facts, [](const Object& object) {
        return PyFloat_FromDouble(object.kind == sim::ObjectKind::kBox ? 0 : object.yaw_rad);
      }));
  entries.Set(KeyIndex("objects_distance_from_center"), ListOf(facts, [](const Object& object) {
                return PyFloat_FromDouble(std::abs(object.lateral_offset_m));
              }));
  entries.Set(KeyIndex("objects_distance"), ListOf(facts, [](const Object& object) {
                return PyFloat_FromDouble(object.arc_length_m);
              }));
}

// Degrees as a person wrote them: undoes the rounding of degrees -> radians -> degrees, so that
// `steering_angle == 30` holds for an action of 30. Below 1e-9 degrees nobody looks.
double DegreesAsWritten(double angle_rad) {
  constexpr double kSteps = 1e9;
  return std::round(DegFromRad(angle_rad) * kSteps) / kSteps;
}

}  // namespace

ParamsDict::ParamsDict(tracks::Track view, ParamKeySet key_set) : view_(std::move(view)) {
  for (const char* key : kParamKeys) keys_.emplace_back(PyUnicode_InternFromString(key));
  if (key_set == ParamKeySet::kAll) {
    for (const ExtraKey& extra : ExtraKeys()) {
      extra_keys_.emplace_back(PyUnicode_InternFromString(extra.name));
    }
  }

  const int num_waypoints = view_.num_waypoints();
  waypoints_ = PyRef(PyTuple_New(num_waypoints));
  for (int i = 0; i < num_waypoints; ++i) {
    const Vec2 center_m = view_.waypoint(i).center_m;
    PyTuple_SET_ITEM(waypoints_.get(), i, Py_BuildValue("(dd)", center_m.x, center_m.y));
    waypoint_arc_lengths_m_.push_back(view_.waypoint_arc_length_m(i));
  }
  waypoint_arc_lengths_m_.back() = view_.length_m();
  SetConstants();
}

void ParamsDict::SetConstants() {
  template_ = PyRef(PyDict_New());
  for (const PyRef& key : keys_) PyDict_SetItem(template_.get(), key.get(), Py_None);
  const Entries entries(template_.get(), keys_);
  entries.SetFloat(KeyIndex("track_length"), view_.length_m());
  entries.SetBool(KeyIndex("is_reversed"), view_.is_reversed());
}

PyRef ParamsDict::Make(const sim::StepFacts& facts) {
  RenewWaypointsIfChanged();
  PyRef dict(PyDict_Copy(template_.get()));
  const Entries entries(dict.get(), keys_);

  // where the car is
  entries.SetFloat(KeyIndex("x"), facts.front_point_m.x);
  entries.SetFloat(KeyIndex("y"), facts.front_point_m.y);
  entries.SetFloat(KeyIndex("heading"), DegFromRad(facts.car.yaw_rad));
  entries.SetBool(KeyIndex("all_wheels_on_track"), facts.all_wheels_on_track);
  entries.SetBool(KeyIndex("is_offtrack"), facts.is_off_track);

  // on the track
  const double arc_length_m = facts.position.arc_length_m;
  entries.SetFloat(KeyIndex("distance_from_center"), std::abs(facts.position.lateral_offset_m));
  entries.SetFloat(KeyIndex("projection_distance"), arc_length_m);
  entries.SetFloat(KeyIndex("track_width"), Length(facts.borders.left_m - facts.borders.right_m));
  entries.Set(KeyIndex("closest_waypoints"), MakeClosestWaypoints(arc_length_m));
  entries.SetBool(KeyIndex("is_left_of_center"), IsLeftOfCenter(facts));

  // in the episode: what was asked for, not what was reached
  entries.SetFloat(KeyIndex("progress"), facts.progress_pct);
  entries.SetFloat(KeyIndex("steps"), facts.steps);
  entries.SetFloat(KeyIndex("sim_time"), facts.sim_time_s);
  entries.SetFloat(KeyIndex("speed"), facts.speed_cmd_mps);
  entries.SetFloat(KeyIndex("steering_angle"), DegreesAsWritten(facts.steering_cmd_rad));

  // fresh lists, which a user may fill
  entries.Set(KeyIndex("closest_objects"), MakeIntPair(facts.previous_object, facts.next_object));
  entries.SetBool(KeyIndex("object_in_camera"), facts.is_next_object_in_camera);
  entries.SetBool(KeyIndex("is_crashed"), facts.is_crashed);
  SetObjects(facts, entries);
  if (!extra_keys_.empty()) SetExtras(facts, dict.get());
  return dict;
}

void ParamsDict::SetExtras(const sim::StepFacts& facts, PyObject* dict) const {
  const Entries entries(dict, extra_keys_);
  for (size_t i = 0; i < extra_keys_.size(); ++i) {
    const ExtraKey& extra = ExtraKeys()[i];
    const double value = extra.value(facts, view_);
    switch (extra.type) {
      case ExtraType::kBool:
        entries.SetBool(i, value != 0);
        break;
      case ExtraType::kInt:
        entries.Set(i, PyRef(PyLong_FromDouble(value)));
        break;
      case ExtraType::kFloat:
        entries.SetFloat(i, value);
        break;
    }
  }
}

void ParamsDict::RenewWaypointsIfChanged() {
  const Py_ssize_t size = PyTuple_GET_SIZE(waypoints_.get());
  const auto is_unchanged = [&](PyObject* list) {
    return PyList_GET_SIZE(list) == size &&
           std::memcmp(&PyList_GET_ITEM(list, 0), &PyTuple_GET_ITEM(waypoints_.get(), 0),
                       static_cast<size_t>(size) * sizeof(PyObject*)) == 0;
  };
  if (waypoint_list_ && is_unchanged(waypoint_list_.get())) return;
  waypoint_list_ = PyRef(PySequence_List(waypoints_.get()));
  const Entries entries(template_.get(), keys_);
  entries.Set(KeyIndex("waypoints"), PyRef(Py_NewRef(waypoint_list_.get())));
}

PyRef ParamsDict::MakeClosestWaypoints(double arc_length_m) const {
  // spec/deepracer.md 1.2: bisect_right, and behind the last one follows the first
  const auto& table = waypoint_arc_lengths_m_;
  const auto next = std::upper_bound(table.begin(), table.end(), arc_length_m) - table.begin();
  const auto size = static_cast<std::ptrdiff_t>(table.size());
  return MakeIntPair(next == 0 ? size - 1 : next - 1, next == size ? 0 : next);
}

bool ParamsDict::IsLeftOfCenter(const sim::StepFacts& facts) const {
  const bool is_inner_left = view_.inner_is_left();
  const Vec2 inner_m = is_inner_left ? facts.borders.left_m : facts.borders.right_m;
  const Vec2 outer_m = is_inner_left ? facts.borders.right_m : facts.borders.left_m;
  const bool is_nearer_to_inner =
      Length(facts.front_point_m - inner_m) < Length(facts.front_point_m - outer_m);
  return is_nearer_to_inner != !view_.is_counter_clockwise();
}

}  // namespace lapforge::reward
