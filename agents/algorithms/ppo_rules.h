// What PPO's update decides on the host, wherever its numbers are computed.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>

#include "agents/train_options.h"
#include "sim/base/rng.h"

namespace lapforge::agents {

// The factor of the learning rate after an update that changed the policy by `approx_kl`: it keeps
// the change near ppo.target_kl (after the adaptive penalty of arXiv:1707.06347, section 4, with
// the learning rate in its place).
double NextRateFactor(const PpoOptions& options, double factor, double approx_kl);

// All samples in an order of their own for each pass (Fisher and Yates). T holds the largest index.
template <class T>
void ShuffleSamples(uint64_t seed, uint32_t update, uint32_t epoch, std::span<T> order) {
  std::iota(order.begin(), order.end(), T{0});
  RngStream random(seed, update, epoch, RngPurpose::kMinibatchOrder);
  for (size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[random.Below(uint32_t(i) + 1)]);
  }
}

}  // namespace lapforge::agents
