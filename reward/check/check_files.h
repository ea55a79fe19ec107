// The Python files of this folder, as modules.
#pragma once

#include <string_view>

#include "reward/python/interpreter.h"
#include "sim/base/assert.h"

namespace lapforge::reward {

/// A new module of "inspector.py" or "validator.py", with the watchdog that both import. The lock
/// must be held and Python running.
inline PyRef ImportCheckFile(std::string_view name) {
  static PyObject* const watchdog = ImportProgramFile("watchdog.py").release();
  LAPFORGE_ASSERT(watchdog, "watchdog.py runs");
  PyRef module = ImportProgramFile(name);
  LAPFORGE_ASSERT(module, "a file of this folder runs");
  return module;
}

}  // namespace lapforge::reward
