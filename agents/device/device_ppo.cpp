#include "agents/device/device_ppo.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cstring>

#include "agents/algorithms/ppo_rules.h"
#include "agents/device/tensor_loss.h"

namespace lapforge::agents {
namespace {

template <class T>
void CopyInto(const at::Tensor& pinned, const std::vector<T>& from) {
  std::memcpy(pinned.data_ptr(), from.data(), from.size() * sizeof(T));
}

}  // namespace

DevicePpo::DevicePpo(const PpoOptions& options, const EnvironmentSpec& spec, DeviceNets* nets,
                     const DevicePlace* place, uint64_t seed)
    : options_(options),
      num_envs_(spec.num_envs),
      nets_(nets),
      place_(place),
      seed_(seed),
      return_scale_(spec.num_envs),
      prepare_(place->table, place->plays_back, "computing advantages"),
      learn_critic_(place->table, place->plays_back, "learning values"),
      learn_(place->table, place->plays_back, "learning") {
  const auto host = [&](at::ScalarType type) {
    return at::TensorOptions(type).pinned_memory(place->device.is_cuda());
  };
  const int64_t num_samples = int64_t{options.horizon} * spec.num_envs;
  host_rewards_ = at::empty({options.horizon, spec.num_envs}, host(at::kFloat));
  host_terminated_ = at::empty({options.horizon, spec.num_envs}, host(at::kByte));
  host_truncated_ = at::empty_like(host_terminated_, host(at::kByte));
  host_order_ = at::empty({options.num_epochs, num_samples}, host(at::kLong));

  const auto numbers = at::TensorOptions(at::kFloat).device(place->device);
  order_ = at::zeros({options.num_epochs, num_samples}, numbers.dtype(at::kLong));
  minibatch_ =
      at::zeros({std::min(int64_t{options.minibatch_size}, num_samples)}, numbers.dtype(at::kLong));
  learning_rate_ = at::zeros({}, numbers);
  losses_ = at::zeros({kNumLosses}, numbers);
  has_failed_ = at::zeros({}, numbers);
  explained_variance_ = at::zeros({}, numbers);
}

Result<std::optional<UpdateStats>> DevicePpo::Update(RolloutBuffer& host, DeviceRollout& rollout,
                                                     double learning_rate,
                                                     const StopCheck& should_stop) {
  if (options_.normalize_returns) return_scale_.ScaleRewards(options_.discount, host);
  const double used_rate = learning_rate * learning_rate_factor_;
  learning_rate_.fill_(used_rate);
  losses_.zero_();
  has_failed_.zero_();
  Upload(host, rollout);
  prepare_.Run([&] { Prepare(rollout); });

  const int64_t num_samples = order_.size(1);
  const int64_t size = minibatch_.size(0);
  const bool learns_actor =
      num_updates_ >= static_cast<uint32_t>(options_.critic_warm_up_iterations);
  RepeatedWork& learn = learns_actor ? learn_ : learn_critic_;
  double num_minibatches = 0;
  for (int64_t epoch = 0; epoch < options_.num_epochs; ++epoch) {
    const at::Tensor order = order_.select(0, epoch);
    for (int64_t begin = 0; begin < num_samples; begin += size) {
      if (should_stop && should_stop()) return std::optional<UpdateStats>();
      ++num_minibatches;
      if (begin + size <= num_samples) {
        minibatch_.copy_(order.narrow(0, begin, size));
        learn.Run([&] { Learn(rollout, minibatch_, learns_actor); });
      } else {
        Learn(rollout, order.narrow(0, begin, num_samples - begin), learns_actor);
      }
    }
  }
  LAPFORGE_TRY(UpdateStats stats, Download(num_minibatches));
  stats.learning_rate = used_rate;
  ++num_updates_;
  if (learns_actor) {
    learning_rate_factor_ = NextRateFactor(options_, learning_rate_factor_, stats.losses.approx_kl);
  }
  nets_->DownloadParameters();
  return std::optional(stats);
}

// Through pinned memory, so that nobody waits for the copies.
void DevicePpo::Upload(const RolloutBuffer& host, DeviceRollout& rollout) {
  CopyInto(host_rewards_, host.rewards);
  CopyInto(host_terminated_, host.terminated);
  CopyInto(host_truncated_, host.truncated);
  rollout.rewards.copy_(host_rewards_, true);
  rollout.terminated.copy_(host_terminated_, true);
  rollout.truncated.copy_(host_truncated_, true);
  const size_t num_samples = size_t(host_order_.size(1));
  for (int epoch = 0; epoch < options_.num_epochs; ++epoch) {
    ShuffleSamples<int64_t>(
        seed_, num_updates_, uint32_t(epoch),
        {host_order_.data_ptr<int64_t>() + size_t(epoch) * num_samples, num_samples});
  }
  order_.copy_(host_order_, true);
}

void DevicePpo::Prepare(DeviceRollout& rollout) {
  const at::NoGradGuard no_autograd;
  ComputeGaeTensors(options_,
                    {rollout.rewards, rollout.values, rollout.terminated, rollout.truncated,
                     rollout.final_values},
                    rollout.advantages, rollout.value_targets);
  explained_variance_.copy_(ExplainedVarianceOf(
      rollout.value_targets, rollout.values.narrow(0, 0, rollout.rewards.size(0))));
}

// One minibatch, `samples` [rows]. Nothing here waits for the device.
void DevicePpo::Learn(const DeviceRollout& rollout, const at::Tensor& samples, bool learns_actor) {
  const auto choose = [&](const at::Tensor& array) { return array.index_select(0, samples); };
  const at::Tensor rows = choose(rollout.observations.flatten(0, 1));
  SampleTensors chosen = {choose(rollout.actions.flatten(0, 1)), choose(rollout.log_probs.view(-1)),
                          choose(rollout.advantages.view(-1)),
                          choose(rollout.value_targets.view(-1)), choose(rollout.values.view(-1))};
  if (options_.normalize_advantages) chosen.advantages = NormalizedAdvantages(chosen.advantages);

  nets_->ClearGradients();
  const auto [policy, values] = nets_->OutputsOf(rows);
  // nets of their own are scaled by their own learning rate and norm
  const double value_coef = nets_->has_shared_trunk() ? options_.value_coef : 1;
  const LossTensors loss = PpoLoss(options_, value_coef, chosen, {policy, values});
  loss.total.backward();

  const at::NoGradGuard no_autograd;
  const at::Tensor is_bad = at::isfinite(loss.losses).all().logical_not().to(at::kFloat);
  has_failed_.copy_(at::maximum(has_failed_, is_bad));
  losses_.add_(loss.losses);
  nets_->Step(options_, learns_actor, learning_rate_, has_failed_);
}

Result<UpdateStats> DevicePpo::Download(double num_minibatches) {
  const at::Tensor numbers =
      at::cat({losses_.div(num_minibatches), explained_variance_.view({1}), has_failed_.view({1})})
          .to(at::kCPU);
  const float* const number = numbers.data_ptr<float>();
  if (number[kNumLosses + 1] != 0) {
    return ErrorOf("the loss is no longer a finite number after ", num_updates_,
                   " updates; a smaller ppo.learning_rate or reward scale helps");
  }
  UpdateStats stats;
  stats.losses = {number[0], number[1], number[2], number[3], number[4]};
  stats.explained_variance = number[kNumLosses];
  return stats;
}

void DevicePpo::Save(ByteWriter& writer) const {
  writer.Write(num_updates_);
  writer.Write(learning_rate_factor_);
  return_scale_.Save(writer);
  nets_->actor().DownloadMoments().Save(writer);
  nets_->critic().DownloadMoments().Save(writer);
}

bool DevicePpo::Restore(ByteReader& reader) {
  uint32_t num_updates = 0;
  double learning_rate_factor = 1;
  ReturnScale return_scale(num_envs_);
  reader.Read(num_updates);
  reader.Read(learning_rate_factor);
  if (!return_scale.Restore(reader)) return false;
  AdamState actor_adam;
  AdamState critic_adam;
  actor_adam.Restore(reader);
  critic_adam.Restore(reader);
  if (!reader.ok() || !actor_adam.Fits(size_t(nets_->actor().values().numel())) ||
      !critic_adam.Fits(size_t(nets_->critic().values().numel()))) {
    return false;
  }
  num_updates_ = num_updates;
  learning_rate_factor_ = learning_rate_factor;
  return_scale_ = std::move(return_scale);
  nets_->actor().UploadMoments(actor_adam);
  nets_->critic().UploadMoments(critic_adam);
  nets_->UploadParameters();
  return true;
}

}  // namespace lapforge::agents
