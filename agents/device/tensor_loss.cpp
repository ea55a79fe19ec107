#include "agents/device/tensor_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/huber_loss.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

namespace lapforge::agents {
namespace {

constexpr double kAdvantageEpsilon = 1e-8;

at::Tensor LossOfErrors(ValueLoss kind, const at::Tensor& values, const at::Tensor& targets) {
  if (kind == ValueLoss::kHuber) return at::huber_loss(values, targets, at::Reduction::None);
  return (values - targets).square().mul(0.5);
}

at::Tensor ValueLossOf(const PpoOptions& options, const SampleTensors& samples,
                       const at::Tensor& values) {
  const at::Tensor losses = LossOfErrors(options.value_loss, values, samples.value_targets);
  if (options.value_clip_range == 0) return losses.mean();
  const at::Tensor change = values - samples.old_values;
  const at::Tensor clipped =
      samples.old_values + change.clamp(-options.value_clip_range, options.value_clip_range);
  return at::maximum(losses, LossOfErrors(options.value_loss, clipped, samples.value_targets))
      .mean();
}

}  // namespace

LossTensors PpoLoss(const PpoOptions& options, double value_coef, const SampleTensors& samples,
                    const NetTensors& nets) {
  const double low = 1 - options.clip_range;
  const double high = 1 + options.clip_range;
  const ProbabilityTensors probability = ProbabilitiesOf(nets.policy, samples.actions);
  const at::Tensor log_ratio = probability.log_probs - samples.old_log_probs;
  const at::Tensor ratio = log_ratio.exp();
  const at::Tensor policy_loss =
      at::minimum(ratio * samples.advantages, ratio.clamp(low, high) * samples.advantages)
          .mean()
          .neg();
  const at::Tensor entropy = probability.entropies.mean();
  const at::Tensor value_loss = ValueLossOf(options, samples, nets.values);

  const at::Tensor approx_kl = (ratio - 1 - log_ratio).mean();
  const at::Tensor clip_fraction = ratio.lt(low).logical_or(ratio.gt(high)).to(at::kFloat).mean();
  return {policy_loss - entropy * options.entropy_coef + value_loss * value_coef,
          at::stack({policy_loss, value_loss, entropy, approx_kl, clip_fraction}).detach()};
}

at::Tensor NormalizedAdvantages(const at::Tensor& advantages) {
  const at::Tensor wide = advantages.to(at::kDouble);
  const at::Tensor centered = wide - wide.mean();
  const at::Tensor deviation = centered.square().mean().sqrt();
  return (centered / (deviation + kAdvantageEpsilon)).to(at::kFloat);
}

// As ComputeGae: in double precision, an episode's end cuts the sum, and a truncated one goes on in
// the value of its final observation.
void ComputeGaeTensors(const PpoOptions& options, const GaeTensors& rollout, at::Tensor& advantages,
                       at::Tensor& value_targets) {
  const int64_t horizon = rollout.rewards.size(0);
  const at::Tensor all_values = rollout.values.to(at::kDouble);
  const at::Tensor values = all_values.narrow(0, 0, horizon);
  const at::Tensor is_terminated = rollout.terminated.ne(0);
  const at::Tensor is_truncated = rollout.truncated.ne(0);
  const at::Tensor goes_on = is_terminated.logical_or(is_truncated).logical_not();

  at::Tensor next_values = all_values.narrow(0, 1, horizon);
  next_values = at::where(is_truncated, rollout.final_values.to(at::kDouble), next_values);
  next_values = at::where(is_terminated, at::zeros_like(next_values), next_values);
  const at::Tensor errors = rollout.rewards + next_values * options.discount - values;
  const at::Tensor decay = goes_on.to(at::kDouble).mul(options.discount * options.gae_lambda);

  at::Tensor advantage = errors.select(0, horizon - 1);
  for (int64_t step = horizon - 1; step >= 0; --step) {
    if (step + 1 < horizon) {
      advantage = at::addcmul(errors.select(0, step), decay.select(0, step), advantage);
    }
    advantages.select(0, step).copy_(advantage);
    value_targets.select(0, step).copy_(advantage + values.select(0, step));
  }
}

at::Tensor ExplainedVarianceOf(const at::Tensor& value_targets, const at::Tensor& values) {
  const at::Tensor targets = value_targets.to(at::kDouble);
  const at::Tensor target_variance = targets.var(false);
  const at::Tensor error_variance = (targets - values).var(false);
  return at::where(target_variance.gt(0), 1 - error_variance / target_variance,
                   at::zeros_like(target_variance));
}

}  // namespace lapforge::agents
