// The tanh MLP as a Network over rows of float32 numbers.
#pragma once

#include <memory>

#include "agents/nets/mlp.h"
#include "agents/nets/network.h"

namespace lapforge::agents {

// Rows are `shape.num_inputs` float32 numbers. Tensors are "<layer>.weight" and "<layer>.bias".
std::unique_ptr<Network> MakeMlpNetwork(const MlpShape& shape);

}  // namespace lapforge::agents
