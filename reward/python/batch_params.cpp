#include "reward/python/batch_params.h"

#include <cstring>

#include "sim/base/assert.h"

namespace lapforge::reward {
namespace {

PyRef Checked(PyObject* object) {
  LAPFORGE_ASSERT(object != nullptr, "Python is out of memory");
  return PyRef(object);
}

// [previous, next] of closest_waypoints and closest_objects.
bool IsIntPair(PyObject* value) {
  return PyList_CheckExact(value) && PyList_GET_SIZE(value) == 2 &&
         PyLong_CheckExact(PyList_GET_ITEM(value, 0));
}

PyRef ListOf(const std::vector<PyObject*>& values) {
  PyRef list = Checked(PyList_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), Py_NewRef(values[i]));
  }
  return list;
}

}  // namespace

BatchParams::BatchParams()
    : numpy_(Checked(PyImport_ImportModule("numpy"))),
      float_type_(Checked(PyObject_GetAttrString(numpy_.get(), "float64"))),
      bool_type_(Checked(PyObject_GetAttrString(numpy_.get(), "bool_"))),
      int_type_(Checked(PyObject_GetAttrString(numpy_.get(), "int64"))),
      waypoints_key_(Checked(PyUnicode_InternFromString("waypoints"))),
      env_index_key_(Checked(PyUnicode_InternFromString("env_index"))) {}

PyRef BatchParams::Make(const BatchSteps& steps, ParamsDict& params) {
  std::vector<PyRef> rows;
  for (const BatchStep& step : steps) rows.push_back(params.Make(*step.facts));

  // all rows have the same keys in the same order: they are copies of one dictionary
  std::vector<PyObject*> keys;
  std::vector<Column> columns(static_cast<size_t>(PyDict_Size(rows.front().get())));
  for (const PyRef& row : rows) {
    keys.clear();
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(row.get(), &at, &key, &value) != 0;) {
      columns[keys.size()].push_back(value);
      keys.push_back(key);
    }
  }

  PyRef batch = Checked(PyDict_New());
  const auto set = [&](PyObject* key, const PyRef& value) {
    LAPFORGE_ASSERT(PyDict_SetItem(batch.get(), key, value.get()) == 0, "Python is out of memory");
  };
  for (size_t i = 0; i < keys.size(); ++i) set(keys[i], MakeEntry(keys[i], columns[i]));
  set(env_index_key_.get(), MakeArray<int64_t>(int_type_, steps.size(), [&](size_t i) {
        return steps[i].facts->env_index;
      }));
  return batch;
}

// A copy of the array of a view's list, which nobody else sees: it stays as it is.
PyRef BatchParams::MakeWaypoints(PyObject* list) {
  for (const WaypointArray& known : waypoints_) {
    if (known.list.get() == list) {
      return Checked(PyObject_CallMethod(known.array.get(), "copy", nullptr));
    }
  }
  PyRef array = Checked(PyObject_CallMethod(numpy_.get(), "array", "O", list));
  waypoints_.push_back({PyRef(Py_NewRef(list)), std::move(array)});
  return MakeWaypoints(list);
}

PyRef BatchParams::MakeEntry(PyObject* key, const Column& column) {
  PyObject* const first = column.front();
  if (key == waypoints_key_.get()) return MakeWaypoints(first);
  if (PyFloat_CheckExact(first)) {
    return MakeArray<double>(float_type_, column.size(),
                             [&](size_t i) { return PyFloat_AS_DOUBLE(column[i]); });
  }
  if (PyBool_Check(first)) {
    return MakeArray<bool>(bool_type_, column.size(),
                           [&](size_t i) { return column[i] == Py_True; });
  }
  if (PyLong_CheckExact(first)) {
    return MakeArray<int64_t>(int_type_, column.size(),
                              [&](size_t i) { return PyLong_AsLongLong(column[i]); });
  }
  if (!IsIntPair(first)) return ListOf(column);
  const PyRef flat = MakeArray<int64_t>(int_type_, 2 * column.size(), [&](size_t i) {
    return PyLong_AsLongLong(PyList_GET_ITEM(column[i / 2], static_cast<Py_ssize_t>(i % 2)));
  });
  return Checked(PyObject_CallMethod(flat.get(), "reshape", "ii", -1, 2));
}

// Over bytes of its own, so that users may change and keep it.
template <class T, class Number>
PyRef BatchParams::MakeArray(const PyRef& type, size_t size, const Number& number_at) const {
  const auto num_bytes = static_cast<Py_ssize_t>(size * sizeof(T));
  const PyRef bytes = Checked(PyByteArray_FromStringAndSize(nullptr, num_bytes));
  char* const to = PyByteArray_AS_STRING(bytes.get());
  for (size_t i = 0; i < size; ++i) {
    const T number = number_at(i);
    std::memcpy(to + i * sizeof(T), &number, sizeof(T));
  }
  return Checked(PyObject_CallMethod(numpy_.get(), "frombuffer", "OO", bytes.get(), type.get()));
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
