#include "reward/python/params_dict.h"

#include <cstring>
#include <string_view>

#include "reward/python/extra_keys.h"
#include "reward/python/object_lists.h"
#include "sim/base/assert.h"

namespace lapforge::reward {
namespace {

consteval size_t KeyIndex(std::string_view name) {
  size_t index = 0;
  while (kParamKeys[index] != name) ++index;  // a misspelt name does not compile
  return index;
}

// Where the keys of a table are among kParamKeys.
template <class Key, size_t kCount>
consteval std::array<size_t, kCount> PlacesOf(const Key (&keys)[kCount]) {
  std::array<size_t, kCount> places{};
  for (size_t i = 0; i < kCount; ++i) places[i] = KeyIndex(keys[i].name);
  return places;
}

constexpr std::array kFloatPlaces = PlacesOf(kFloatKeys);
constexpr std::array kBoolPlaces = PlacesOf(kBoolKeys);
constexpr std::array kPairPlaces = PlacesOf(kPairKeys);
constexpr std::array kObjectPlaces = PlacesOf(kObjectKeys);

}  // namespace

ParamsDict::ParamsDict(tracks::Track view, ParamKeySet key_set)
    : reader_(std::move(view)), template_(PyDict_New()) {
  const auto add = [&](const char* name) {
    const Entry& entry = entries_.emplace_back(Entry{PyRef(PyUnicode_InternFromString(name))});
    PyDict_SetItem(template_.get(), entry.key.get(), Py_None);
  };
  for (const char* key : kParamKeys) add(key);
  if (key_set == ParamKeySet::kAll) {
    for (const ExtraKey& extra : ExtraKeys()) add(extra.name);
  }

  const tracks::Track& track = reader_.view();
  waypoints_ = PyRef(PyTuple_New(track.num_waypoints()));
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const Vec2 center_m = track.waypoint(i).center_m;
    PyTuple_SET_ITEM(waypoints_.get(), i, Py_BuildValue("(dd)", center_m.x, center_m.y));
  }
}

PyRef ParamsDict::Make(const sim::StepFacts& facts) {
  RenewWaypointsIfChanged();
  if (!IsUntouched()) Renew();
  const ParamValues values = reader_.Read(facts);
  for (size_t i = 0; i < kFloatPlaces.size(); ++i) {
    SetFloat(entries_[kFloatPlaces[i]], values.*kFloatKeys[i].value);
  }
  for (size_t i = 0; i < kBoolPlaces.size(); ++i) {
    SetBool(entries_[kBoolPlaces[i]], values.*kBoolKeys[i].value);
  }
  for (size_t i = 0; i < kPairPlaces.size(); ++i) {
    SetPair(entries_[kPairPlaces[i]], values.*kPairKeys[i].value);
  }
  SetObjects(facts);
  if (entries_.size() > kParamKeys.size()) SetExtras(facts);
  return PyRef(Py_NewRef(dict_.get()));
}

// True where the last dictionary is ours alone and holds what was put there, in the same order.
bool ParamsDict::IsUntouched() const {
  if (!dict_ || !IsUnshared(dict_.get())) return false;
  if (PyDict_GET_SIZE(dict_.get()) != static_cast<Py_ssize_t>(entries_.size())) return false;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t at = 0;
  for (const Entry& entry : entries_) {
    PyDict_Next(dict_.get(), &at, &key, &value);
    if (key != entry.key.get() || value != entry.value) return false;
  }
  return true;
}

void ParamsDict::Renew() {
  dict_ = PyRef(PyDict_Copy(template_.get()));
  LAPFORGE_ASSERT(dict_, "Python is out of memory");
  for (Entry& entry : entries_) entry.value = PyDict_GetItem(dict_.get(), entry.key.get());
}

void ParamsDict::Replace(Entry& entry, PyRef value) {
  LAPFORGE_ASSERT(value && PyDict_SetItem(dict_.get(), entry.key.get(), value.get()) == 0,
                  "Python is out of memory");
  entry.value = value.get();
}

void ParamsDict::SetFloat(Entry& entry, double value) {
  if (PyFloat_CheckExact(entry.value) && IsUnshared(entry.value)) {
    reinterpret_cast<PyFloatObject*>(entry.value)->ob_fval = value;
  } else {
    Replace(entry, PyRef(PyFloat_FromDouble(value)));
  }
}

void ParamsDict::SetBool(Entry& entry, bool value) {
  PyObject* const object = value ? Py_True : Py_False;
  if (entry.value != object) Replace(entry, PyRef(Py_NewRef(object)));
}

void ParamsDict::SetInt(Entry& entry, int64_t value) {
  PyRef object(PyLong_FromLongLong(value));
  if (entry.value != object.get()) Replace(entry, std::move(object));
}

// Users may have put anything into the list.
void ParamsDict::SetPair(Entry& entry, const ParamValues::Pair& pair) {
  if (!IsUnsharedList(entry.value, 2)) Replace(entry, PyRef(Py_BuildValue("[LL]", 0LL, 0LL)));
  for (size_t i = 0; i < pair.size(); ++i) {
    const int done =
        PyList_SetItem(entry.value, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(pair[i]));
    LAPFORGE_ASSERT(done == 0, "Python is out of memory");
  }
}

void ParamsDict::SetObjects(const sim::StepFacts& facts) {
  for (size_t i = 0; i < kNumObjectKeys; ++i) {
    Entry& entry = entries_[kObjectPlaces[i]];
    const bool is_still_empty = facts.num_objects == 0 && IsUnsharedList(entry.value, 0);
    if (!is_still_empty) Replace(entry, MakeObjectList(kObjectKeys[i], facts));
  }
}

void ParamsDict::SetExtras(const sim::StepFacts& facts) {
  for (size_t i = 0; i < ExtraKeys().size(); ++i) {
    const ExtraKey& extra = ExtraKeys()[i];
    Entry& entry = entries_[kParamKeys.size() + i];
    const double value = extra.value(facts, reader_.view());
    switch (extra.type) {
      case ExtraType::kBool:
        SetBool(entry, value != 0);
        break;
      case ExtraType::kInt:
        SetInt(entry, static_cast<int64_t>(value));
        break;
      case ExtraType::kFloat:
        SetFloat(entry, value);
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
  dict_ = {};
  waypoint_list_ = PyRef(PySequence_List(waypoints_.get()));
  LAPFORGE_ASSERT(waypoint_list_, "Python is out of memory");
  PyDict_SetItem(template_.get(), entries_[KeyIndex("waypoints")].key.get(), waypoint_list_.get());
}

}  // namespace lapforge::reward
