// A user's file as support.py holds it.
#pragma once

#include <string>

#include "reward/python/interpreter.h"
#include "reward/python/params_dict.h"
#include "sim/base/result.h"

namespace lapforge::reward {

/// Starts Python, reads the file and makes a support.UserFile of it; runs nothing of the user's.
/// The reference may only be used and dropped under the lock.
/// `log_file`: where all that the file prints is appended; "": nowhere.
Result<PyRef> OpenUserFile(const std::string& path, const std::string& log_file = "");

/// The same with the file's content given.
Result<PyRef> MakeUserFile(const std::string& path, const std::string& source,
                           const std::string& log_file);

/// One that words what went wrong with a user's file, `path`.
struct Wording {
  PyObject* object = nullptr;  // borrowed
  const char* method = nullptr;
  const char* path = nullptr;
};

/// What it says of an exception or a result. A file may have damaged even what words errors.
std::string TextFrom(const Wording& wording, const PyRef& subject);

/// The keys for such a file: all where its source names one of the extra keys.
ParamKeySet KeySetFor(const PyRef& user_file);

}  // namespace lapforge::reward
