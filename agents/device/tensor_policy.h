// Actions and their probabilities, as action_distribution.h has them, in libtorch operators.
#pragma once

#include <ATen/core/Tensor.h>

#include "agents/nets/action_distribution.h"

namespace lapforge::agents {

// What the actor says about rows. `log_std` [action_dim] is of Gaussians only.
struct PolicyTensors {
  DistributionKind kind = DistributionKind::kGaussian;
  at::Tensor outputs;  // [rows, num_outputs]
  at::Tensor log_std;
};

struct ProbabilityTensors {
  at::Tensor log_probs;  // [rows]
  at::Tensor entropies;  // [rows]
};

// Of actions [rows, action_dim].
ProbabilityTensors ProbabilitiesOf(const PolicyTensors& policy, const at::Tensor& actions);

// Actions [rows, action_dim] from noise of the same shape: normal numbers, or for a category one
// number in [0, 1).
at::Tensor SampleActions(const PolicyTensors& policy, const at::Tensor& noise);

}  // namespace lapforge::agents
