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

/// The keys for such a file: all where its source names one of the extra keys.
ParamKeySet KeySetFor(const PyRef& user_file);

}  // namespace lapforge::reward
