#include "reward/python/batch_params.h"

#include <cstring>

#include "reward/python/extra_keys.h"
#include "sim/base/assert.h"

namespace lapforge::reward {
namespace {

PyRef Checked(PyObject* object) {
  LAPFORGE_ASSERT(object != nullptr, "Python is out of memory");
  return PyRef(object);
}

void Set(PyObject* dict, const PyRef& key, const PyRef& value) {
  LAPFORGE_ASSERT(value && PyDict_SetItem(dict, key.get(), value.get()) == 0,
                  "Python is out of memory");
}

// The memory of a contiguous array, which lives as long as the array and its rows.
void* MemoryOf(const PyRef& array) {
  Py_buffer view{};
  LAPFORGE_ASSERT(PyObject_GetBuffer(array.get(), &view, PyBUF_WRITABLE) == 0,
                  "a new array is contiguous");
  void* const memory = view.buf;
  PyBuffer_Release(&view);
  return memory;
}

}  // namespace

BatchParams::BatchParams(tracks::Track view, ParamKeySet key_set)
    : reader_(std::move(view)),
      has_extras_(key_set == ParamKeySet::kAll),
      numpy_(Checked(PyImport_ImportModule("numpy"))) {
  const auto type = [&](const char* name) {
    return Checked(PyObject_GetAttrString(numpy_.get(), name));
  };
  const auto key = [](const char* name) { return Checked(PyUnicode_InternFromString(name)); };
  template_ = Checked(PyDict_New());
  for (const char* name : kParamKeys) PyDict_SetItem(template_.get(), key(name).get(), Py_None);

  floats_.type = type("float64");
  bools_.type = type("bool_");
  ints_.type = type("int64");
  pairs_.type = type("int64");
  for (const auto& entry : kFloatKeys) floats_.keys.push_back(key(entry.name));
  for (const auto& entry : kBoolKeys) bools_.keys.push_back(key(entry.name));
  for (const auto& entry : kPairKeys) pairs_.keys.push_back(key(entry.name));
  ints_.keys.push_back(key("env_index"));
  for (size_t i = 0; i < kNumObjectKeys; ++i) {
    object_keys_[i] = key(kObjectKeys[i].name);
    object_lists_[i] = Checked(PyList_New(0));
  }
  if (has_extras_) {
    for (const ExtraKey& extra : ExtraKeys()) {
      PyDict_SetItem(template_.get(), key(extra.name).get(), Py_None);
      GroupOf(extra.type).keys.push_back(key(extra.name));
    }
  }

  const tracks::Track& track = reader_.view();
  const PyRef list = Checked(PyList_New(0));
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const Vec2 center_m = track.waypoint(i).center_m;
    const PyRef point = Checked(Py_BuildValue("dd", center_m.x, center_m.y));
    PyList_Append(list.get(), point.get());
  }
  waypoints_key_ = key("waypoints");
  waypoints_ = Checked(PyObject_CallMethod(numpy_.get(), "array", "O", list.get()));
}

BatchParams::Group& BatchParams::GroupOf(ExtraType type) {
  switch (type) {
    case ExtraType::kBool:
      return bools_;
    case ExtraType::kInt:
      return ints_;
    case ExtraType::kFloat:
      return floats_;
  }
  return floats_;
}

PyRef BatchParams::Make(const BatchSteps& steps) {
  PyRef batch = Checked(PyDict_Copy(template_.get()));
  Set(batch.get(), waypoints_key_, PyRef(PyObject_CallMethod(waypoints_.get(), "copy", nullptr)));
  FillNumbers(steps, batch.get());
  FillObjects(steps, batch.get());
  return batch;
}

// The keys of a group, each with a row of one new array; returns the numbers of all rows.
template <class T>
T* BatchParams::AddRows(const Group& group, const BatchSteps& steps, PyObject* batch) const {
  const auto num_rows = static_cast<Py_ssize_t>(group.keys.size());
  const auto num_steps = static_cast<Py_ssize_t>(steps.size());
  const PyRef shape = Checked(&group == &pairs_ ? Py_BuildValue("nni", num_rows, num_steps, 2)
                                                : Py_BuildValue("nn", num_rows, num_steps));
  const PyRef array =
      Checked(PyObject_CallMethod(numpy_.get(), "empty", "OO", shape.get(), group.type.get()));
  for (Py_ssize_t i = 0; i < num_rows; ++i) {
    Set(batch, group.keys[static_cast<size_t>(i)], PyRef(PySequence_GetItem(array.get(), i)));
  }
  return static_cast<T*>(MemoryOf(array));
}

void BatchParams::FillNumbers(const BatchSteps& steps, PyObject* batch) const {
  double* const floats = AddRows<double>(floats_, steps, batch);
  bool* const bools = AddRows<bool>(bools_, steps, batch);
  int64_t* const ints = AddRows<int64_t>(ints_, steps, batch);
  ParamValues::Pair* const pairs = AddRows<ParamValues::Pair>(pairs_, steps, batch);
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto put = [&](auto*& to, auto value) {
      *to = value;
      to += steps.size();  // the next row
    };
    double* to_float = floats + i;
    bool* to_bool = bools + i;
    int64_t* to_int = ints + i;
    ParamValues::Pair* to_pair = pairs + i;
    const sim::StepFacts& facts = *steps[i].facts;
    const ParamValues values = reader_.Read(facts);
    for (const auto& key : kFloatKeys) put(to_float, values.*key.value);
    for (const auto& key : kBoolKeys) put(to_bool, values.*key.value);
    for (const auto& key : kPairKeys) put(to_pair, values.*key.value);
    put(to_int, facts.env_index);
    if (!has_extras_) continue;
    for (const ExtraKey& extra : ExtraKeys()) {
      const double value = extra.value(facts, reader_.view());
      if (extra.type == ExtraType::kFloat) put(to_float, value);
      if (extra.type == ExtraType::kBool) put(to_bool, value != 0);
      if (extra.type == ExtraType::kInt) put(to_int, static_cast<int64_t>(value));
    }
  }
}

// Lists that users kept or filled are replaced; without objects the others are as they should be.
void BatchParams::FillObjects(const BatchSteps& steps, PyObject* batch) {
  const auto count = static_cast<Py_ssize_t>(steps.size());
  for (size_t key = 0; key < kNumObjectKeys; ++key) {
    PyRef& lists = object_lists_[key];
    if (!IsUnsharedList(lists.get(), count)) lists = Checked(PyList_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      const sim::StepFacts& facts = *steps[static_cast<size_t>(i)].facts;
      PyObject* const last = PyList_GET_ITEM(lists.get(), i);
      if (facts.num_objects == 0 && last != nullptr && IsUnsharedList(last, 0)) continue;
      PyList_SetItem(lists.get(), i, MakeObjectList(kObjectKeys[key], facts).release());
    }
    Set(batch, object_keys_[key], lists);
  }
}

std::vector<double> NumbersOf(const PyRef& array) {
  Py_buffer view{};
  LAPFORGE_ASSERT(PyObject_GetBuffer(array.get(), &view, PyBUF_SIMPLE) == 0, "a contiguous array");
  std::vector<double> numbers(static_cast<size_t>(view.len) / sizeof(double));
  std::memcpy(numbers.data(), view.buf, numbers.size() * sizeof(double));
  PyBuffer_Release(&view);
  return numbers;
}

}  // namespace lapforge::reward
