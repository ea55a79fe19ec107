// validator.py seen from C++.
#include "reward/check/check_files.h"
#include "reward/guarded_run.h"
#include "reward/python/interpreter.h"
#include "reward/python/user_file.h"
#include "reward/reward_check.h"
#include "reward/user_code.h"
#include "sim/base/assert.h"

namespace lapforge::reward {
namespace {

// Rows as an .npy file of the track has them: center, inner, outer.
PyRef RowsOf(const tracks::Track& track) {
  PyRef rows(PyList_New(track.num_waypoints()));
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const tracks::Waypoint row = track.waypoint(i);
    const Vec2 inner_m = track.inner_is_left() ? row.left_m : row.right_m;
    const Vec2 outer_m = track.inner_is_left() ? row.right_m : row.left_m;
    PyObject* const numbers = Py_BuildValue("[dddddd]", row.center_m.x, row.center_m.y, inner_m.x,
                                            inner_m.y, outer_m.x, outer_m.y);
    PyList_SET_ITEM(rows.get(), i, numbers);
  }
  return rows;
}

constexpr double kLimitS = 60;  // for what validator.py cannot break off

const char* NameOf(ConsoleVariant variant) {
  return variant == ConsoleVariant::kConsole ? "console" : "droa";
}

}  // namespace

Result<ConsoleVerdict> ValidateAsConsole(const std::string& python_file, const tracks::Track& track,
                                         ConsoleVariant variant) {
  LAPFORGE_CHECK_OK(StartPython());
  const PythonLock lock;
  LAPFORGE_TRY(const PyRef user_file, OpenUserFile(python_file));
  const PyRef module = ImportCheckFile("validator.py");
  const PyRef rows = RowsOf(track);
  const UserTurn turn;
  const WatchedCall call(kLimitS, "the console's tests");
  const PyRef records(PyObject_CallMethod(module.get(), "validate", "OsO", user_file.get(),
                                          NameOf(variant), rows.get()));
  if (!records) {
    const PyRef error = TakePythonError();
    const PyRef text(PyObject_Str(error.get()));
    return ErrorOf(python_file, ": the validator failed: ", TextOf(text.get()));
  }
  ConsoleVerdict verdict;
  verdict.records_json = TextOf(records.get());
  verdict.is_accepted = verdict.records_json == "[]";
  const PyRef has_lint(PyObject_CallMethod(module.get(), "has_lint", nullptr));
  verdict.is_linted = has_lint.get() == Py_True;
  return verdict;
}

}  // namespace lapforge::reward
