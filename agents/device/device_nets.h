// Actor and critic on a device: parameters and gradients in flat tensors, copied from and to the
// host's ActorCritic, which stays the one that is saved, evaluated and exported.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "agents/algorithms/adam.h"
#include "agents/device/tensor_loss.h"
#include "agents/device/tensor_net.h"
#include "agents/device/tensor_policy.h"
#include "agents/nets/actor_critic.h"

namespace lapforge::agents {

// One flat array of parameters that learns by Adam, all on the device.
class DeviceParameters {
 public:
  DeviceParameters(const std::vector<float>& host, at::Device device);

  // [size]; leaves of autograd that view it get their gradient in `gradients`.
  const at::Tensor& values() const { return values_; }
  at::Tensor MakeLeaf(const at::Tensor& view) const;

  void ClearGradients();
  // One step, as AdamStep against gradients clipped by their norm. `learning_rate`: a number on the
  // device. Where a gradient is not finite, parameters stay and `has_failed` [1] becomes 1.
  void Step(double max_grad_norm, double epsilon, const at::Tensor& learning_rate,
            at::Tensor& has_failed);

  // Between host and device; these wait.
  void UploadValues(const std::vector<float>& host);
  void DownloadValues(std::vector<float>& host) const;
  void UploadMoments(const AdamState& host);
  AdamState DownloadMoments() const;

 private:
  at::Tensor values_;
  at::Tensor gradients_;
  at::Tensor mean_;
  at::Tensor square_;
  at::Tensor num_steps_;  // a number, float32: libtorch's fused Adam wants it on the device
};

class DeviceNets {
 public:
  // Borrows the host's nets.
  DeviceNets(ActorCritic* host, const EnvironmentSpec& spec, at::Device device);

  // True: one net has both, whose last output is the value; the critic is then empty.
  bool has_shared_trunk() const { return !critic_net_.has_value(); }

  // What both say of rows of bytes [num_rows, row_bytes of the environment].
  NetTensors OutputsOf(const at::Tensor& rows) const;
  at::Tensor ValuesOf(const at::Tensor& rows) const;

  // A step by the gradients that a backward left, which keeps log_std above its floor. Without
  // `learns_actor` only the critic takes it.
  void Step(const PpoOptions& options, bool learns_actor, const at::Tensor& learning_rate,
            at::Tensor& has_failed);
  void ClearGradients();

  void UploadParameters();
  void DownloadParameters();
  DeviceParameters& actor() { return actor_; }
  DeviceParameters& critic() { return critic_; }
  const DeviceParameters& actor() const { return actor_; }
  const DeviceParameters& critic() const { return critic_; }

 private:
  ActorCritic* host_;
  TensorNet actor_net_;
  std::optional<TensorNet> critic_net_;
  DeviceParameters actor_;
  DeviceParameters critic_;
  std::vector<at::Tensor> actor_layers_;
  std::vector<at::Tensor> critic_layers_;
  at::Tensor log_std_;  // a leaf as well; undefined for categories
};

}  // namespace lapforge::agents
