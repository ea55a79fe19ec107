// Cameras and lidars on a GPU for the commands that drive simulators.
#pragma once

#include <functional>

#include "agents/train_options.h"
#include "sim/base/result.h"
#include "sim/vector_sim.h"

namespace lapforge::cli {

using SetUpEyes = std::function<Result<void>(sim::VectorSim&)>;

/// What gives a simulator the eyes of cuda or cuda_twin. Errors: no plug-in, driver or device.
Result<SetUpEyes> EyesOf(agents::NetDevice device);

/// Where net.device and net.cuda_eyes say so and there is a camera or a lidar; a simulator that the
/// device's eyes do not know keeps its own, which a line says.
Result<void> UseEyesOnDevice(const agents::NetOptions& net, sim::VectorSim& sim);

}  // namespace lapforge::cli
