// How far a student's outputs are from its teacher's, and the gradient at the outputs.
#pragma once

#include <span>

#include "agents/nets/action_distribution.h"

namespace lapforge::agents {

// What the student imitates, from what the teacher's net says: means clipped to [-1, 1], or the
// probabilities of the actions. [rows, num_outputs] in place.
void TargetsFromOutputs(DistributionKind kind, int num_outputs, std::span<float> outputs);

// Gaussian: mean squared error over rows and numbers. Categorical: KL(teacher || student), the mean
// over rows. Sums over these rows, divided by minibatch_rows; T is float, or double in tests.
template <class T>
struct ImitationSamples {
  DistributionKind kind = DistributionKind::kGaussian;
  int num_outputs = 0;
  int minibatch_rows = 0;          // losses are means over these
  std::span<const T> outputs;      // [rows, num_outputs], of the student
  std::span<const float> targets;  // [rows, num_outputs]
  std::span<T> output_gradients;   // [rows, num_outputs], overwritten
};
template <class T>
double ImitationLoss(const ImitationSamples<T>& samples);

}  // namespace lapforge::agents
