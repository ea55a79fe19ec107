// Whether a file can be written where it shall be, found out before the work that fills it.
#pragma once

#include <filesystem>
#include <string>

#include "sim/base/result.h"

namespace lapforge::viewer {

// Errors: another ending than `extension`, and those of CheckWritable. `kind` is "video" or
// "picture".
Result<void> CheckPlace(const std::filesystem::path& path, const std::string& kind,
                        const std::string& extension);

}  // namespace lapforge::viewer
