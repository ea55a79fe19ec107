#include "agents/nets/action_distribution.h"

#include <algorithm>
#include <cmath>

#include "sim/base/math.h"

namespace lapforge::agents {
namespace {

const double kHalfLogTwoPi = 0.5 * std::log(2 * kPi);

// log of the sum of the exponentials of the logits
template <class T>
T LogSumExp(std::span<const T> logits) {
  const T largest = *std::max_element(logits.begin(), logits.end());
  T sum = 0;
  for (const T logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum);
}

template <class T>
ActionProbability<T> GaussianProbability(const ActionInputs<T>& inputs) {
  ActionProbability<T> result;
  for (size_t i = 0; i < inputs.outputs.size(); ++i) {
    const T z = (T(inputs.action[i]) - inputs.outputs[i]) * std::exp(-inputs.log_std[i]);
    result.log_prob -= T(0.5) * z * z + inputs.log_std[i] + T(kHalfLogTwoPi);
    result.entropy += inputs.log_std[i] + T(kHalfLogTwoPi + 0.5);
  }
  return result;
}

template <class T>
ActionProbability<T> CategoricalProbability(const ActionInputs<T>& inputs) {
  const T log_sum = LogSumExp(inputs.outputs);
  ActionProbability<T> result;
  result.log_prob = inputs.outputs[static_cast<size_t>(inputs.action[0])] - log_sum;
  for (const T logit : inputs.outputs) {
    result.entropy -= std::exp(logit - log_sum) * (logit - log_sum);
  }
  return result;
}

}  // namespace

template <class T>
ActionProbability<T> ProbabilityOf(DistributionKind kind, const ActionInputs<T>& inputs) {
  return kind == DistributionKind::kGaussian ? GaussianProbability(inputs)
                                             : CategoricalProbability(inputs);
}

template <class T>
void AddProbabilityGradient(DistributionKind kind, const ActionInputs<T>& inputs, T log_prob_weight,
                            T entropy_weight, std::span<T> output_gradients,
                            std::span<T> log_std_gradients) {
  if (kind == DistributionKind::kGaussian) {
    for (size_t i = 0; i < inputs.outputs.size(); ++i) {
      const T inverse_std = std::exp(-inputs.log_std[i]);
      const T z = (T(inputs.action[i]) - inputs.outputs[i]) * inverse_std;
      output_gradients[i] += log_prob_weight * z * inverse_std;
      log_std_gradients[i] += log_prob_weight * (z * z - 1) + entropy_weight;
    }
    return;
  }

  // d log p(a) / d logit_k = [k == a] - p_k;  d entropy / d logit_k = -p_k (log p_k + entropy)
  const T log_sum = LogSumExp(inputs.outputs);
  const T entropy = CategoricalProbability(inputs).entropy;
  const size_t chosen = static_cast<size_t>(inputs.action[0]);
  for (size_t k = 0; k < inputs.outputs.size(); ++k) {
    const T log_p = inputs.outputs[k] - log_sum;
    const T p = std::exp(log_p);
    output_gradients[k] += log_prob_weight * ((k == chosen ? T(1) : T(0)) - p) -
                           entropy_weight * p * (log_p + entropy);
  }
}

template ActionProbability<float> ProbabilityOf(DistributionKind, const ActionInputs<float>&);
template ActionProbability<double> ProbabilityOf(DistributionKind, const ActionInputs<double>&);
template void AddProbabilityGradient(DistributionKind, const ActionInputs<float>&, float, float,
                                     std::span<float>, std::span<float>);
template void AddProbabilityGradient(DistributionKind, const ActionInputs<double>&, double, double,
                                     std::span<double>, std::span<double>);

void SampleAction(DistributionKind kind, std::span<const float> outputs,
                  std::span<const float> log_std, RngStream& random, std::span<float> action) {
  if (kind == DistributionKind::kGaussian) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      action[i] = outputs[i] + std::exp(log_std[i]) * static_cast<float>(random.Normal());
    }
    return;
  }
  const float log_sum = LogSumExp(outputs);
  double left = random.Uniform();
  size_t index = 0;
  while (index + 1 < outputs.size()) {
    left -= std::exp(outputs[index] - log_sum);
    if (left < 0) break;
    ++index;
  }
  action[0] = static_cast<float>(index);
}

void BestAction(DistributionKind kind, std::span<const float> outputs, std::span<float> action) {
  if (kind == DistributionKind::kGaussian) {
    std::copy(outputs.begin(), outputs.end(), action.begin());
  } else {
    const auto best = std::max_element(outputs.begin(), outputs.end());
    action[0] = static_cast<float>(best - outputs.begin());
  }
}

}  // namespace lapforge::agents
