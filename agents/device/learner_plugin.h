// liblapforge_cuda_learner.so: DeviceTable for an NVIDIA GPU, loaded on demand.
#pragma once

#include <filesystem>

#include "agents/device/device_table.h"
#include "sim/base/result.h"

namespace lapforge::agents {

// Loads libtorch's CUDA backend, then the plug-in beside the program, in ../lib or where it was
// built. Errors, in one line: no driver, no GPU, a missing library, no plug-in.
Result<const DeviceTable*> LoadLearnerPlugin();

// From one file, for tests: no such file, no plug-in, made for another version of this program.
Result<const DeviceTable*> LoadLearnerPlugin(const std::filesystem::path& file);

}  // namespace lapforge::agents
