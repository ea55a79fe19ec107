#include "sim/base/plugin_file.h"

#include <dlfcn.h>

#include <array>
#include <system_error>

namespace lapforge {

Result<std::filesystem::path> FindPlugin(const std::string& name, const std::string& build_folder) {
  std::error_code error;
  // empty where the system does not say
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::array<std::filesystem::path, 3> folders = {program, program.parent_path() / "lib",
                                                        program.parent_path() / build_folder};
  for (const std::filesystem::path& folder : folders) {
    if (std::filesystem::exists(folder / name, error)) return folder / name;
  }
  return ErrorOf("there is no ", name, " beside ", program.string(),
                 " or in ../lib: it is built where the CUDA toolkit (nvcc) is installed");
}

Result<void> CheckNvidiaDriver() {
  if (dlopen("libcuda.so.1", RTLD_LAZY) != nullptr) return {};
  return ErrorOf("net.device cuda: there is no NVIDIA driver on this machine; cpu needs none");
}

}  // namespace lapforge
