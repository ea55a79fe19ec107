#include "agents/device/device_nets.h"

#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

namespace lapforge::agents {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;

at::Tensor ViewOf(const std::vector<float>& host) {
  return at::from_blob(const_cast<float*>(host.data()), {int64_t(host.size())}, at::kFloat);
}

std::vector<float> HostCopyOf(const at::Tensor& numbers) {
  std::vector<float> host(size_t(numbers.numel()));
  ViewOf(host).copy_(numbers);
  return host;
}

}  // namespace

DeviceParameters::DeviceParameters(const std::vector<float>& host, at::Device device)
    : values_(at::empty({int64_t(host.size())}, at::TensorOptions(at::kFloat).device(device))),
      gradients_(at::zeros_like(values_)),
      mean_(at::zeros_like(values_)),
      square_(at::zeros_like(values_)),
      num_steps_(at::zeros({}, values_.options())) {
  UploadValues(host);
}

at::Tensor DeviceParameters::MakeLeaf(const at::Tensor& view) const {
  at::Tensor leaf = view.detach().set_requires_grad(true);
  leaf.mutable_grad() =
      gradients_.narrow(0, view.storage_offset(), view.numel()).view(view.sizes());
  return leaf;
}

void DeviceParameters::ClearGradients() { gradients_.zero_(); }

void DeviceParameters::Step(double max_grad_norm, double epsilon, const at::Tensor& learning_rate,
                            at::Tensor& has_failed) {
  const at::Tensor norm = at::_foreach_norm({gradients_}, 2).front();
  const at::Tensor divisor = norm.div(max_grad_norm).clamp_min(1);
  const at::Tensor is_bad = at::isfinite(norm).logical_not().to(at::kFloat);
  has_failed.copy_(at::maximum(has_failed, is_bad));

  // the first step is number 1
  num_steps_.add_(1);
  at::_fused_adamw_({values_}, {gradients_}, {mean_}, {square_}, {}, {num_steps_}, learning_rate,
                    kBeta1, kBeta2, /*weight_decay=*/0, epsilon, /*amsgrad=*/false,
                    /*maximize=*/false, divisor, has_failed);
}

void DeviceParameters::UploadValues(const std::vector<float>& host) { values_.copy_(ViewOf(host)); }
void DeviceParameters::DownloadValues(std::vector<float>& host) const {
  ViewOf(host).copy_(values_);
}

void DeviceParameters::UploadMoments(const AdamState& host) {
  mean_.copy_(ViewOf(host.mean));
  square_.copy_(ViewOf(host.square));
  num_steps_.fill_(static_cast<double>(host.num_steps));
}

AdamState DeviceParameters::DownloadMoments() const {
  AdamState host;
  host.mean = HostCopyOf(mean_);
  host.square = HostCopyOf(square_);
  host.num_steps = static_cast<int64_t>(num_steps_.item<float>());
  return host;
}

DeviceNets::DeviceNets(ActorCritic* host, const EnvironmentSpec& spec, at::Device device)
    : host_(host),
      actor_net_(host->actor_network(), host->actor_row(), spec.row),
      actor_(host->actor(), device),
      critic_(host->critic(), device) {
  for (const at::Tensor& layer : actor_net_.LayersIn(actor_.values())) {
    actor_layers_.push_back(actor_.MakeLeaf(layer));
  }
  if (!host->has_shared_trunk()) {
    critic_net_.emplace(host->critic_network(), host->critic_row(), spec.row);
    for (const at::Tensor& layer : critic_net_->LayersIn(critic_.values())) {
      critic_layers_.push_back(critic_.MakeLeaf(layer));
    }
  }
  if (const int64_t count = std::ssize(host->log_std()); count > 0) {
    const int64_t begin = int64_t(host->actor_network().num_parameters());
    log_std_ = actor_.MakeLeaf(actor_.values().narrow(0, begin, count));
  }
}

NetTensors DeviceNets::OutputsOf(const at::Tensor& rows) const {
  const at::Tensor heads = actor_net_.Forward(actor_layers_, rows);
  if (!has_shared_trunk()) return {{host_->kind(), heads, log_std_}, ValuesOf(rows)};
  const int64_t count = heads.size(1) - 1;
  return {{host_->kind(), heads.narrow(1, 0, count), log_std_}, heads.select(1, count)};
}

at::Tensor DeviceNets::ValuesOf(const at::Tensor& rows) const {
  if (has_shared_trunk()) return OutputsOf(rows).values;
  return critic_net_->Forward(critic_layers_, rows).squeeze(1);
}

void DeviceNets::Step(const PpoOptions& options, bool learns_actor, const at::Tensor& learning_rate,
                      at::Tensor& has_failed) {
  const at::NoGradGuard no_autograd;
  if (learns_actor) {
    actor_.Step(options.max_policy_grad_norm, options.adam_epsilon, learning_rate, has_failed);
    if (log_std_.defined()) log_std_.clamp_min_(host_->min_log_std());
  }
  if (!has_shared_trunk()) {
    critic_.Step(options.max_value_grad_norm, options.adam_epsilon, learning_rate, has_failed);
  }
}

void DeviceNets::ClearGradients() {
  const at::NoGradGuard no_autograd;
  actor_.ClearGradients();
  critic_.ClearGradients();
}

void DeviceNets::UploadParameters() {
  actor_.UploadValues(host_->actor());
  critic_.UploadValues(host_->critic());
}

void DeviceNets::DownloadParameters() {
  actor_.DownloadValues(host_->actor());
  critic_.DownloadValues(host_->critic());
  host_->ParametersChanged();
}

}  // namespace lapforge::agents
