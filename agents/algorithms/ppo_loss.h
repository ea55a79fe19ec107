// The PPO loss of a block of samples and its gradient at the nets' outputs.
#pragma once

#include <span>

#include "agents/nets/action_distribution.h"
#include "agents/train_options.h"

namespace lapforge::agents {

// Samples of a minibatch (or a shard of one), rows in order.
struct LossSamples {
  std::span<const float> actions;        // [rows, action_dim]
  std::span<const float> old_log_probs;  // [rows]
  std::span<const float> advantages;     // [rows], normalised already
  std::span<const float> value_targets;  // [rows]
  std::span<const float> old_values;     // [rows]
  int num_rows = 0;
  int minibatch_rows = 0;  // losses are means over these
};

// Sums over the rows, each divided by minibatch_rows.
struct LossSums {
  double policy_loss = 0;
  double value_loss = 0;
  double entropy = 0;
  double approx_kl = 0;  // (r - 1) - log r, Schulman's low-variance estimate
  double clip_fraction = 0;

  LossSums& operator+=(const LossSums& other);
};

// What the actor said about the samples, and where its gradient goes.
template <class T>
struct PolicyOutputs {
  DistributionKind kind = DistributionKind::kGaussian;
  std::span<const T> outputs;  // [rows, num_outputs]
  std::span<const T> log_std;
  std::span<T> output_gradients;   // [rows, num_outputs], overwritten
  std::span<T> log_std_gradients;  // overwritten with the sum over the rows
};

// Clipped surrogate (arXiv:1707.06347, equation 7) minus entropy_coef times entropy.
template <class T>
void PolicyLoss(const PpoOptions& options, const LossSamples& samples,
                const PolicyOutputs<T>& policy, LossSums& sums);

// Half the squared error (or Huber with delta 1) of the value; with value_clip_range also of the
// value clipped around the old one, the larger of both counts. `gradients` [rows], overwritten.
template <class T>
void ValueLossOf(const PpoOptions& options, const LossSamples& samples, std::span<const T> values,
                 std::span<T> gradients, LossSums& sums);

}  // namespace lapforge::agents
