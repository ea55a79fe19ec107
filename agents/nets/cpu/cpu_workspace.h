// Nets for images on the CPU, without libtorch's layers: ReLU, derivatives and memory by hand,
// matrix products by its BLAS.
#pragma once

#include <memory>

#include "agents/nets/net_plan.h"
#include "agents/nets/network.h"

namespace lapforge::agents {

// For plans whose device is the CPU.
std::unique_ptr<NetworkWorkspace> MakeCpuWorkspace(std::shared_ptr<const NetPlan> plan,
                                                   int max_rows);

}  // namespace lapforge::agents
