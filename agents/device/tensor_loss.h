// PPO's losses and advantages, as ppo_loss.h and gae.h have them, in libtorch operators.
#pragma once

#include <ATen/core/Tensor.h>

#include "agents/device/tensor_policy.h"
#include "agents/train_options.h"

namespace lapforge::agents {

// Samples of a minibatch.
struct SampleTensors {
  at::Tensor actions;        // [rows, action_dim]
  at::Tensor old_log_probs;  // [rows]
  at::Tensor advantages;     // [rows], normalised already
  at::Tensor value_targets;  // [rows]
  at::Tensor old_values;     // [rows]
};

// What is added up for the log, in the order of LossSums: policy loss, value loss, entropy,
// approximate KL, share of clipped ratios.
inline constexpr int kNumLosses = 5;

struct LossTensors {
  at::Tensor total;   // a number, whose derivative is the nets' gradient
  at::Tensor losses;  // [kNumLosses], without derivative
};

// What the nets say of the samples.
struct NetTensors {
  PolicyTensors policy;
  at::Tensor values;  // [rows]
};

// Clipped surrogate, minus the entropy's share, plus `value_coef` times the value loss; means over
// the rows.
LossTensors PpoLoss(const PpoOptions& options, double value_coef, const SampleTensors& samples,
                    const NetTensors& nets);

// (x - mean) / deviation.
at::Tensor NormalizedAdvantages(const at::Tensor& advantages);

// One rollout, [horizon, num_envs] float32 but where noted.
struct GaeTensors {
  at::Tensor rewards;
  at::Tensor values;        // [horizon + 1, num_envs]
  at::Tensor terminated;    // uint8
  at::Tensor truncated;     // uint8
  at::Tensor final_values;  // read where truncated
};

// Overwrites `advantages` and `value_targets` [horizon, num_envs].
void ComputeGaeTensors(const PpoOptions& options, const GaeTensors& rollout, at::Tensor& advantages,
                       at::Tensor& value_targets);

// Of the values that the rollout was collected with; 0 where all targets are equal.
at::Tensor ExplainedVarianceOf(const at::Tensor& value_targets, const at::Tensor& values);

}  // namespace lapforge::agents
