#include "agents/algorithms/imitation_loss.h"

#include <algorithm>
#include <cmath>

namespace lapforge::agents {
namespace {

template <class T>
T LogSumExp(std::span<const T> logits) {
  const T largest = *std::max_element(logits.begin(), logits.end());
  T sum = 0;
  for (const T logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum);
}

// sum p (log p - log q); d / d logit_k = q_k - p_k, as the p sum to 1
template <class T>
double KlDivergence(std::span<const T> logits, std::span<const float> probabilities, T share,
                    std::span<T> gradients) {
  const T log_sum = LogSumExp(logits);
  double loss = 0;
  for (size_t k = 0; k < logits.size(); ++k) {
    const T log_q = logits[k] - log_sum;
    const T p = T(probabilities[k]);
    if (p > 0) loss += double(p * (std::log(p) - log_q));
    gradients[k] = share * (std::exp(log_q) - p);
  }
  return loss * double(share);
}

}  // namespace

void TargetsFromOutputs(DistributionKind kind, int num_outputs, std::span<float> outputs) {
  if (kind == DistributionKind::kGaussian) {
    for (float& mean : outputs) mean = std::clamp(mean, -1.0f, 1.0f);
    return;
  }
  for (size_t begin = 0; begin < outputs.size(); begin += size_t(num_outputs)) {
    const std::span<float> row = outputs.subspan(begin, size_t(num_outputs));
    const float log_sum = LogSumExp(std::span<const float>(row));
    for (float& logit : row) logit = std::exp(logit - log_sum);
  }
}

template <class T>
double ImitationLoss(const ImitationSamples<T>& samples) {
  const size_t num_outputs = size_t(samples.num_outputs);
  double loss = 0;
  if (samples.kind == DistributionKind::kCategorical) {
    const T share = T(1) / T(samples.minibatch_rows);
    for (size_t begin = 0; begin < samples.outputs.size(); begin += num_outputs) {
      loss += KlDivergence(samples.outputs.subspan(begin, num_outputs),
                           samples.targets.subspan(begin, num_outputs), share,
                           samples.output_gradients.subspan(begin, num_outputs));
    }
    return loss;
  }
  const T share = T(1) / (T(samples.minibatch_rows) * T(num_outputs));
  for (size_t i = 0; i < samples.outputs.size(); ++i) {
    const T error = samples.outputs[i] - T(samples.targets[i]);
    samples.output_gradients[i] = 2 * share * error;
    loss += double(share * error * error);
  }
  return loss;
}

template double ImitationLoss(const ImitationSamples<float>&);
template double ImitationLoss(const ImitationSamples<double>&);

}  // namespace lapforge::agents
