// Probability of actions under the actor's outputs, with derivatives by hand.
#pragma once

#include <span>

#include "sim/base/rng.h"

namespace lapforge::agents {

// Diagonal Gaussian: outputs are means [action_dim], log_std is free. Categorical: outputs are
// logits [num_outputs], the action is one index.
enum class DistributionKind { kGaussian, kCategorical };

// The actor's view of one sample. T is float, or double in tests.
template <class T>
struct ActionInputs {
  std::span<const T> outputs;  // means or logits
  std::span<const T> log_std;  // Gaussian only
  std::span<const float> action;
};

template <class T>
struct ActionProbability {
  T log_prob = 0;
  T entropy = 0;
};

template <class T>
ActionProbability<T> ProbabilityOf(DistributionKind kind, const ActionInputs<T>& inputs);

// Adds d(log_prob_weight * log_prob + entropy_weight * entropy) to the gradients of outputs and of
// log_std.
template <class T>
void AddProbabilityGradient(DistributionKind kind, const ActionInputs<T>& inputs, T log_prob_weight,
                            T entropy_weight, std::span<T> output_gradients,
                            std::span<T> log_std_gradients);

// Draws an action from the distribution.
void SampleAction(DistributionKind kind, std::span<const float> outputs,
                  std::span<const float> log_std, RngStream& random, std::span<float> action);

// The mean, or the most likely index.
void BestAction(DistributionKind kind, std::span<const float> outputs, std::span<float> action);

}  // namespace lapforge::agents
