// One rollout on the device: what RolloutBuffer holds, as tensors. Observations stay bytes.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>

#include "agents/rollout/environment.h"

namespace lapforge::agents {

struct DeviceRollout {
  at::Tensor observations;   // uint8 [horizon + 1, num_envs, row_bytes]
  at::Tensor actions;        // [horizon, num_envs, action_dim]
  at::Tensor log_probs;      // [horizon, num_envs]
  at::Tensor values;         // [horizon + 1, num_envs]
  at::Tensor final_values;   // [horizon, num_envs]
  at::Tensor rewards;        // [horizon, num_envs]
  at::Tensor terminated;     // uint8 [horizon, num_envs]
  at::Tensor truncated;      // uint8 [horizon, num_envs]
  at::Tensor advantages;     // [horizon, num_envs]
  at::Tensor value_targets;  // [horizon, num_envs]

  DeviceRollout(int horizon, const EnvironmentSpec& spec, at::Device device) {
    const auto bytes = at::TensorOptions(at::kByte).device(device);
    const auto numbers = at::TensorOptions(at::kFloat).device(device);
    const int64_t steps = horizon;
    const int64_t envs = spec.num_envs;
    observations = at::zeros({steps + 1, envs, int64_t(spec.row.row_bytes)}, bytes);
    actions = at::zeros({steps, envs, spec.action_dim}, numbers);
    values = at::zeros({steps + 1, envs}, numbers);
    for (at::Tensor* flags : {&terminated, &truncated}) *flags = at::zeros({steps, envs}, bytes);
    for (at::Tensor* array : {&log_probs, &final_values, &rewards, &advantages, &value_targets}) {
      *array = at::zeros({steps, envs}, numbers);
    }
  }

  int64_t num_samples() const { return log_probs.numel(); }
};

}  // namespace lapforge::agents
