// A net of convolutions and dense layers on libtorch's kernels, called directly: derivatives by
// hand, no autograd.
#pragma once

#include <memory>

#include "agents/nets/net_plan.h"
#include "agents/nets/network.h"

namespace lapforge::agents {

// Tensors are "<layer's name>.weight" and ".bias", in the order of plan.layers().
std::unique_ptr<Network> MakeConvNetwork(NetPlan plan);

}  // namespace lapforge::agents
