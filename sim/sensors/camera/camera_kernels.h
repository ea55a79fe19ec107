// The camera's kernels as compiled for the processors that may run them.
#pragma once

#include <span>

#include "sim/sensors/camera/camera_job.h"

namespace lapforge::sim {

struct CameraKernels {
  const char* name = "";  // "scalar", "avx2", "avx512"
  void (*paint_image)(const CameraJob&) = nullptr;
  void (*paint_box)(const CameraJob&, const CameraBoxJob&) = nullptr;
};

// Those that this processor can run, slowest first; the scalar reference always is. All give the
// same bytes.
std::span<const CameraKernels> RunnableCameraKernels();

// One compilation each.
CameraKernels ScalarCameraKernels();
CameraKernels Avx2CameraKernels();
CameraKernels Avx512CameraKernels();

}  // namespace lapforge::sim
