#include "agents/algorithms/ppo_loss.h"

#include <algorithm>
#include <cmath>

namespace lapforge::agents {
namespace {

// Loss of one error and its slope.
template <class T>
struct ErrorLoss {
  T loss = 0;
  T slope = 0;
};

template <class T>
ErrorLoss<T> LossOfError(ValueLoss kind, T error) {
  if (kind == ValueLoss::kHuber && std::abs(error) > 1) {
    return {std::abs(error) - T(0.5), error > 0 ? T(1) : T(-1)};
  }
  return {T(0.5) * error * error, error};
}

}  // namespace

LossSums& LossSums::operator+=(const LossSums& other) {
  policy_loss += other.policy_loss;
  value_loss += other.value_loss;
  entropy += other.entropy;
  approx_kl += other.approx_kl;
  clip_fraction += other.clip_fraction;
  return *this;
}

template <class T>
void PolicyLoss(const PpoOptions& options, const LossSamples& samples,
                const PolicyOutputs<T>& policy, LossSums& sums) {
  const size_t num_outputs = policy.outputs.size() / size_t(samples.num_rows);
  const size_t action_dim = samples.actions.size() / size_t(samples.num_rows);
  const T share = T(1) / T(samples.minibatch_rows);
  const T low = T(1 - options.clip_range);
  const T high = T(1 + options.clip_range);
  std::fill(policy.output_gradients.begin(), policy.output_gradients.end(), T(0));
  std::fill(policy.log_std_gradients.begin(), policy.log_std_gradients.end(), T(0));

  for (size_t row = 0; row < size_t(samples.num_rows); ++row) {
    const ActionInputs<T> inputs = {policy.outputs.subspan(row * num_outputs, num_outputs),
                                    policy.log_std,
                                    samples.actions.subspan(row * action_dim, action_dim)};
    const ActionProbability<T> probability = ProbabilityOf(policy.kind, inputs);
    const T log_ratio = probability.log_prob - T(samples.old_log_probs[row]);
    const T ratio = std::exp(log_ratio);
    const T advantage = T(samples.advantages[row]);
    const T unclipped = ratio * advantage;
    const T clipped = std::clamp(ratio, low, high) * advantage;

    // the gradient flows only where the unclipped term is the smaller
    const T log_prob_weight = unclipped <= clipped ? -share * unclipped : T(0);
    AddProbabilityGradient(policy.kind, inputs, log_prob_weight, -share * T(options.entropy_coef),
                           policy.output_gradients.subspan(row * num_outputs, num_outputs),
                           policy.log_std_gradients);
    sums.policy_loss -= double(share * std::min(unclipped, clipped));
    sums.entropy += double(share * probability.entropy);
    sums.approx_kl += double(share * ((ratio - 1) - log_ratio));
    sums.clip_fraction += ratio < low || ratio > high ? double(share) : 0;
  }
}

template <class T>
void ValueLossOf(const PpoOptions& options, const LossSamples& samples, std::span<const T> values,
                 std::span<T> gradients, LossSums& sums) {
  const T share = T(1) / T(samples.minibatch_rows);
  const T range = T(options.value_clip_range);
  for (size_t row = 0; row < size_t(samples.num_rows); ++row) {
    const T target = T(samples.value_targets[row]);
    ErrorLoss<T> result = LossOfError(options.value_loss, values[row] - target);
    if (range > 0) {
      const T old_value = T(samples.old_values[row]);
      const T change = values[row] - old_value;
      const T clipped = old_value + std::clamp(change, -range, range);
      const ErrorLoss<T> other = LossOfError(options.value_loss, clipped - target);
      const bool is_clipped = std::abs(change) > range;
      if (other.loss > result.loss) result = {other.loss, is_clipped ? T(0) : other.slope};
    }
    gradients[row] = share * result.slope;
    sums.value_loss += double(share * result.loss);
  }
}

template void PolicyLoss(const PpoOptions&, const LossSamples&, const PolicyOutputs<float>&,
                         LossSums&);
template void PolicyLoss(const PpoOptions&, const LossSamples&, const PolicyOutputs<double>&,
                         LossSums&);
template void ValueLossOf(const PpoOptions&, const LossSamples&, std::span<const float>,
                          std::span<float>, LossSums&);
template void ValueLossOf(const PpoOptions&, const LossSamples&, std::span<const double>,
                          std::span<double>, LossSums&);

}  // namespace lapforge::agents
