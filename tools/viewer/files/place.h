// Whether a file can be written where it shall be, found out before the work that fills it.
#pragma once

#include <filesystem>
#include <string>

#include "sim/base/result.h"

namespace lapforge::viewer {

// A name beside `path`, with its ending, for what is not whole yet.
std::filesystem::path TemporaryBeside(const std::filesystem::path& path);

// Errors: another ending than `extension`, something else than a file at `path`, a folder that
// takes no files. `kind` is "video" or "picture".
Result<void> CheckPlace(const std::filesystem::path& path, const std::string& kind,
                        const std::string& extension);

}  // namespace lapforge::viewer
