#include "agents/device/tensor_policy.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/ones.h>

#include <cmath>

#include "sim/base/math.h"

namespace lapforge::agents {
namespace {

const double kHalfLogTwoPi = 0.5 * std::log(2 * kPi);

}  // namespace

ProbabilityTensors ProbabilitiesOf(const PolicyTensors& policy, const at::Tensor& actions) {
  if (policy.kind == DistributionKind::kGaussian) {
    const at::Tensor z = (actions - policy.outputs) * policy.log_std.neg().exp();
    const at::Tensor entropy = (policy.log_std + (kHalfLogTwoPi + 0.5)).sum();
    return {(z.square().mul(-0.5) - policy.log_std - kHalfLogTwoPi).sum(1),
            entropy.expand({actions.size(0)})};
  }
  // a mask instead of gather, whose derivative adds in any order on a GPU
  const at::Tensor log_p = at::log_softmax(policy.outputs, 1);
  const at::Tensor is_chosen = actions.eq(at::arange(log_p.size(1), actions.options()));
  return {(log_p * is_chosen).sum(1), (log_p.exp() * log_p).sum(1).neg()};
}

at::Tensor SampleActions(const PolicyTensors& policy, const at::Tensor& noise) {
  if (policy.kind == DistributionKind::kGaussian) {
    return policy.outputs + policy.log_std.exp() * noise;
  }
  // how many of the cumulative probabilities the number reaches; a product instead of cumsum,
  // which has no fixed order on a GPU
  const at::Tensor p = at::log_softmax(policy.outputs, 1).exp();
  const int64_t count = p.size(1);
  const at::Tensor cumulative = p.matmul(at::ones({count, count}, p.options()).triu());
  return cumulative.le(noise).sum(1, true).clamp_max(count - 1).to(at::kFloat);
}

}  // namespace lapforge::agents
