// Where the program finds its plug-ins: libraries that not every machine can load.
#pragma once

#include <filesystem>
#include <string>

#include "sim/base/result.h"

namespace lapforge {

/// The file `name` beside the running program, in ../lib, or in `build_folder` of a build. The
/// error says where it was looked for, and that CUDA's compiler builds it.
Result<std::filesystem::path> FindPlugin(const std::string& name, const std::string& build_folder);

/// The first thing that whoever wants a GPU asks: an error where there is no NVIDIA driver.
Result<void> CheckNvidiaDriver();

}  // namespace lapforge
