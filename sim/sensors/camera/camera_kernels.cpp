#include "sim/sensors/camera/camera_kernels.h"

#include <array>

namespace lapforge::sim {
namespace {

struct Runnable {
  std::array<CameraKernels, 3> kernels;
  size_t count = 0;
};

Runnable FindRunnable() {
  Runnable runnable;
  runnable.kernels[runnable.count++] = ScalarCameraKernels();
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) runnable.kernels[runnable.count++] = Avx2CameraKernels();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
    runnable.kernels[runnable.count++] = Avx512CameraKernels();
  }
#endif
  return runnable;
}

}  // namespace

std::span<const CameraKernels> RunnableCameraKernels() {
  static const Runnable runnable = FindRunnable();
  return {runnable.kernels.data(), runnable.count};
}

}  // namespace lapforge::sim
