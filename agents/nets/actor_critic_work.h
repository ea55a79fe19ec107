// Buffers in which one thread computes policies and values of rows, and the way back to gradients:
// the same calls for two nets and for two heads of one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "agents/nets/actor_critic.h"

namespace lapforge::agents {

class ActorCriticWork {
 public:
  // For up to `max_rows` rows; every call takes the same nets.
  ActorCriticWork(const ActorCritic& nets, int max_rows);

  // Copies what is seen of rows [n, row_bytes] as the simulator carries them to `first_row` on.
  void Gather(const ActorCritic& nets, std::span<const std::byte> carried, int first_row);

  // Policy outputs [num_rows, num_outputs] and values [num_rows], valid until the next call.
  struct Heads {
    std::span<const float> policy;
    std::span<const float> values;
  };
  Heads Forward(const ActorCritic& nets, int num_rows);

  // After Forward: from d loss / d heads to d loss / d parameters, overwritten. `actor`: without
  // log_std.
  struct Gradients {
    std::span<float> actor;
    std::span<float> critic;
  };
  void Backward(const ActorCritic& nets, const Heads& head_gradients, int num_rows,
                const Gradients& gradients);

  // Values [n] of carried rows [n, row_bytes], and nothing else.
  std::span<const float> ValuesOf(const ActorCritic& nets, std::span<const std::byte> carried);

 private:
  std::unique_ptr<NetworkWorkspace> actor_;
  std::unique_ptr<NetworkWorkspace> critic_;  // null where the trunk is shared
  // where the trunk is shared: its outputs apart, and their gradients side by side
  std::vector<float> policy_;
  std::vector<float> values_;
  std::vector<float> joined_;
};

}  // namespace lapforge::agents
