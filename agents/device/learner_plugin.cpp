#include "agents/device/learner_plugin.h"

#include <dlfcn.h>

#include "agents/nets/torch_device.h"
#include "sim/base/plugin_file.h"

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
  const Result<std::filesystem::path> file = FindPlugin(kFileName, "agents/cuda");
  if (!file.ok()) return ErrorOf("net.device cuda: ", file.error().message);
  return LoadLearnerPlugin(*file);
}

}  // namespace lapforge::agents
