// The process's one Python interpreter, its lock, and owned references.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <string_view>
#include <utility>

#include "sim/base/result.h"

namespace lapforge::reward {

/// Starts Python where it is not running yet and returns the module of support.py, borrowed and
/// never freed. The calling thread does not hold the lock afterwards. May be called from any
/// thread; a failed start fails again in the same way.
///
/// The interpreter is the system's, with its installed modules, but without the user's environment
/// variables, site folder, signal handlers and random hash seed: a run depends on the options and
/// on the files it names only. It is never shut down: modules such as numpy do not survive that.
Result<PyObject*> StartPython();

/// Before StartPython: a process that crashes, or gets SIGABRT, writes to this descriptor in which
/// line of Python it was.
void SetCrashTrace(int fd);

/// While one lives, user code runs that InterruptPython may interrupt. What it did to rounding and
/// small numbers (libraries compiled for speed do) is undone: the bits of the simulation depend on
/// it.
class UserCode {
 public:
  UserCode();
  ~UserCode();
  UserCode(const UserCode&) = delete;
  UserCode& operator=(const UserCode&) = delete;

 private:
  unsigned float_mode_;
};

/// True while one lives.
bool RunsUserCode();

/// The file to name where this process crashes in user code (TellCrashes).
void NoteUserFile(std::string_view path);

/// Ends the process where it is a copy that user code made with os.fork() and let return.
void EndForkedCopy();

/// Holds the interpreter's lock; everything below needs it.
class PythonLock {
 public:
  PythonLock() : state_(PyGILState_Ensure()) {}
  ~PythonLock() { PyGILState_Release(state_); }
  PythonLock(const PythonLock&) = delete;
  PythonLock& operator=(const PythonLock&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Owns one reference, or null, which Python's functions return with an error set.
class PyRef {
 public:
  PyRef() = default;
  explicit PyRef(PyObject* owned) : object_(owned) {}
  ~PyRef() { Py_XDECREF(object_); }
  PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyRef& operator=(PyRef&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// Runs a built-in file ("inspector.py") as a new module, which others import as
/// "lapforge_inspector". The lock must be held and Python running.
PyRef ImportProgramFile(std::string_view name);

/// Takes the error that is set, as an exception object with its traceback.
PyRef TakePythonError();

/// The text of a str object in UTF-8, odd characters as \udc80; "" for null and other objects.
std::string TextOf(PyObject* text);

}  // namespace lapforge::reward
