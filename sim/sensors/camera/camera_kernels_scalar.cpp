#include "sim/sensors/camera/camera_kernel.inl"
#include "sim/sensors/camera/camera_kernels.h"
#include "sim/sensors/camera/scalar_lanes.h"

namespace lapforge::sim {

CameraKernels ScalarCameraKernels() {
  using Kernel = CameraKernel<ScalarLanes>;
  return {"scalar", Kernel::PaintImage, Kernel::PaintBox};
}

}  // namespace lapforge::sim
