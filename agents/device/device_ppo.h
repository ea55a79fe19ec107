// PPO's update on a device: advantages, minibatches, losses, clipping and Adam; the host waits
// once, at the end.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "agents/algorithms/ppo.h"
#include "agents/algorithms/return_scale.h"
#include "agents/device/device_collector.h"
#include "agents/device/device_nets.h"
#include "agents/device/device_rollout.h"
#include "agents/learner.h"
#include "sim/base/byte_buffer.h"

namespace lapforge::agents {

class DevicePpo {
 public:
  // Borrows nets and place.
  DevicePpo(const PpoOptions& options, const EnvironmentSpec& spec, DeviceNets* nets,
            const DevicePlace* place, uint64_t seed);

  // As Ppo::Update; `host` holds what the simulator said of the rollout. The same samples in the
  // same order, so that the nets differ from the CPU's by rounding only.
  Result<std::optional<UpdateStats>> Update(RolloutBuffer& host, DeviceRollout& rollout,
                                            double learning_rate, const StopCheck& should_stop);

  // The same bytes as Ppo's.
  void Save(ByteWriter& writer) const;
  bool Restore(ByteReader& reader);

 private:
  void Upload(const RolloutBuffer& host, DeviceRollout& rollout);
  void Prepare(DeviceRollout& rollout);
  void UploadOrder();
  void Learn(const DeviceRollout& rollout, const at::Tensor& samples, bool learns_actor);
  Result<UpdateStats> Download(double num_minibatches);

  PpoOptions options_;
  int num_envs_;
  DeviceNets* nets_;
  const DevicePlace* place_;
  uint64_t seed_;
  uint32_t num_updates_ = 0;
  double learning_rate_factor_ = 1;  // ppo.target_kl's
  ReturnScale return_scale_;
  RepeatedWork prepare_;
  RepeatedWork learn_critic_;  // the first updates, where ppo.critic_warm_up_iterations says so
  RepeatedWork learn_;

  // pinned
  at::Tensor host_rewards_;     // [horizon, num_envs]
  at::Tensor host_terminated_;  // uint8
  at::Tensor host_truncated_;   // uint8
  at::Tensor host_order_;       // int64 [num_epochs, num_samples]

  // on the device, always the same memory
  at::Tensor order_;               // int64 [num_epochs, num_samples]
  at::Tensor minibatch_;           // int64 [minibatch_size]
  at::Tensor learning_rate_;       // a number
  at::Tensor losses_;              // [kNumLosses], added up
  at::Tensor has_failed_;          // 1 after what was not finite
  at::Tensor explained_variance_;  // a number
};

}  // namespace lapforge::agents
