#include "agents/nets/torch_device.h"

#include <ATen/Context.h>
#include <dlfcn.h>

#include <cstdlib>

#include "sim/base/plugin_file.h"

namespace lapforge::agents {
namespace {

// The backend enters itself into libtorch's tables while it loads; nobody may have asked libtorch
// about CUDA before.
Result<void> Load() {
  LAPFORGE_CHECK_OK(CheckNvidiaDriver());
  // cuBLAS sums in a fixed order only with a workspace of its own; read when it starts
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    return ErrorOf("net.device cuda: the GPU's libraries are not installed (", dlerror(),
                   "); './lapforge --cuda' installs them");
  }
  if (!at::hasCUDA()) {
    return ErrorOf(
        "net.device cuda: no NVIDIA GPU answers; 'nvidia-smi' should list one, with a driver for "
        "CUDA 13");
  }
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
  at::globalContext().setDeterministicAlgorithms(true, false);
  // else every new tensor is filled, for nobody
  at::globalContext().setDeterministicFillUninitializedMemory(false);
  // float32 is float32; who wants it faster says net.precision bf16
  at::globalContext().setAllowTF32CuDNN(false);
  return {};
}

}  // namespace

Result<void> LoadCuda() {
  static const Result<void> loaded = Load();
  return loaded;
}

}  // namespace lapforge::agents
