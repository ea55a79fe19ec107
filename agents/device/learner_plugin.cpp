#include "agents/device/learner_plugin.h"

#include <dlfcn.h>

#include <array>

#include "agents/nets/torch_device.h"

namespace lapforge::agents {
namespace {

constexpr const char* kFileName = "liblapforge_cuda_learner.so";

}  // namespace

Result<const DeviceTable*> LoadLearnerPlugin(const std::filesystem::path& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return ErrorOf("net.device cuda: the learner's plug-in does not load: ", dlerror());
  }
  using GetTable = const DeviceTable* (*)();
  const auto get_table = reinterpret_cast<GetTable>(dlsym(library, kDeviceTableName));
  if (get_table == nullptr) {
    return ErrorOf(file.string(), " is no plug-in of the learner: it has no ", kDeviceTableName);
  }
  const DeviceTable* const table = get_table();
  if (table->version != kDeviceTableVersion) {
    return ErrorOf(file.string(), " has version ", table->version, "; this program needs ",
                   kDeviceTableVersion, ": build both together");
  }
  return table;
}

Result<const DeviceTable*> LoadLearnerPlugin() {
  LAPFORGE_CHECK_OK(LoadCuda());
  std::error_code error;
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::array<std::filesystem::path, 3> folders = {program, program.parent_path() / "lib",
                                                        program.parent_path() / "agents/cuda"};
  for (const std::filesystem::path& folder : folders) {
    if (std::filesystem::exists(folder / kFileName, error)) {
      return LoadLearnerPlugin(folder / kFileName);
    }
  }
  return ErrorOf("net.device cuda: there is no ", kFileName, " beside ", program.string(),
                 " or in ../lib: it is built where the CUDA toolkit (nvcc) is installed");
}

}  // namespace lapforge::agents
