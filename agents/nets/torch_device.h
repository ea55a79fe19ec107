// Where libtorch computes: the processor, or an NVIDIA GPU through its CUDA backend, which is
// loaded when it is first asked for.
#pragma once

#include "sim/base/result.h"

namespace lapforge::agents {

// Makes the CUDA backend usable in this process, with sums in the same order each time. The error
// says what is missing: the libraries, the driver or the GPU.
Result<void> LoadCuda();

}  // namespace lapforge::agents
