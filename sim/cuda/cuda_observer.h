// The eyes of a whole simulator on a GPU.
#pragma once

#include "sim/base/result.h"
#include "sim/cuda/cuda_eyes.h"
#include "sim/vector_sim.h"

namespace lapforge::sim {

// VectorSim::UseEyes with those of the plug-in. Errors: no memory there, drop-outs of a lidar,
// several car models.
Result<void> UseCudaEyes(const CudaPlugin& plugin, VectorSim& sim);

}  // namespace lapforge::sim
