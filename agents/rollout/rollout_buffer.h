// One rollout: horizon x num_envs samples, each row written once, where it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agents/rollout/environment.h"

namespace lapforge::agents {

// All arrays [horizon, num_envs, ...] row-major; `observations` has one more step at its end, the
// observations after the rollout.
struct RolloutBuffer {
  int horizon = 0;
  EnvironmentSpec spec;
  std::vector<std::byte> observations;  // [horizon + 1, num_envs, row_bytes]
  std::vector<float> actions;           // [horizon, num_envs, action_dim]
  std::vector<float> log_probs;         // [horizon, num_envs]
  std::vector<float> values;            // [horizon + 1, num_envs]
  std::vector<float> final_values;   // [horizon, num_envs] of final observations, where truncated
  std::vector<float> rewards;        // [horizon, num_envs]
  std::vector<uint8_t> terminated;   // [horizon, num_envs]
  std::vector<uint8_t> truncated;    // [horizon, num_envs]
  std::vector<float> advantages;     // [horizon, num_envs]
  std::vector<float> value_targets;  // [horizon, num_envs]

  RolloutBuffer(int num_steps, const EnvironmentSpec& environment)
      : horizon(num_steps), spec(environment) {
    const size_t samples = size_t(num_samples());
    const size_t envs = size_t(spec.num_envs);
    observations.resize((samples + envs) * spec.row.row_bytes);
    actions.resize(samples * size_t(spec.action_dim));
    values.resize(samples + envs);
    terminated.resize(samples);
    truncated.resize(samples);
    for (auto* array : {&log_probs, &final_values, &rewards, &advantages, &value_targets}) {
      array->resize(samples);
    }
  }

  int num_samples() const { return horizon * spec.num_envs; }

  // One sample's observation.
  std::span<const std::byte> RowOf(size_t sample) const {
    const size_t row_bytes = spec.row.row_bytes;
    return std::span(observations).subspan(sample * row_bytes, row_bytes);
  }

  // The part of an array [horizon, num_envs, columns] that belongs to one step.
  template <class T>
  std::span<T> StepOf(std::vector<T>& array, int step, size_t columns = 1) {
    const size_t size = size_t(spec.num_envs) * columns;
    return std::span<T>(array).subspan(size_t(step) * size, size);
  }
};

}  // namespace lapforge::agents
