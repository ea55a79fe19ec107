// Whether a library survives being loaded.
#pragma once

#include <string>

#include "sim/base/result.h"

namespace lapforge::reward {

/// Loads `file` in a process of its own: a damaged library crashes the one that loads it. `path` is
/// what the error calls it. A library that cannot be loaded, but harms nobody, is no error here.
Result<void> TryLibrary(const std::string& path, const std::string& file);

}  // namespace lapforge::reward
