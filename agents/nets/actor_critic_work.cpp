#include "agents/nets/actor_critic_work.h"

#include <algorithm>

namespace lapforge::agents {
namespace {

void GatherRows(const RowView& view, std::span<const std::byte> carried, size_t first_row,
                NetworkWorkspace& work) {
  const size_t num_rows = carried.size() / view.carried_row_bytes();
  view.Gather(carried,
              work.inputs().subspan(first_row * view.row_bytes(), num_rows * view.row_bytes()));
}

}  // namespace

ActorCriticWork::ActorCriticWork(const ActorCritic& nets, int max_rows)
    : actor_(nets.actor_network().MakeWorkspace(max_rows)) {
  if (!nets.has_shared_trunk()) {
    critic_ = nets.critic_network().MakeWorkspace(max_rows);
    return;
  }
  values_.resize(size_t(max_rows));
  policy_.resize(size_t(max_rows) * size_t(nets.spec().num_outputs));
  joined_.resize(values_.size() + policy_.size());
}

void ActorCriticWork::Gather(const ActorCritic& nets, std::span<const std::byte> carried,
                             int first_row) {
  GatherRows(nets.actor_view(), carried, size_t(first_row), *actor_);
  if (critic_) GatherRows(nets.critic_view(), carried, size_t(first_row), *critic_);
}

ActorCriticWork::Heads ActorCriticWork::Forward(const ActorCritic& nets, int num_rows) {
  const std::span<const float> outputs = actor_->Forward(nets.actor_parameters(), num_rows);
  if (critic_) return {outputs, critic_->Forward(nets.critic_parameters(), num_rows)};

  // the last of each row is the value
  const size_t num_outputs = size_t(nets.spec().num_outputs);
  auto from = outputs.begin();
  for (size_t row = 0; row < size_t(num_rows); ++row) {
    std::copy_n(from, num_outputs, policy_.begin() + std::ptrdiff_t(row * num_outputs));
    values_[row] = from[std::ptrdiff_t(num_outputs)];
    from += std::ptrdiff_t(num_outputs + 1);
  }
  return {std::span(policy_).first(size_t(num_rows) * num_outputs),
          std::span(values_).first(size_t(num_rows))};
}

void ActorCriticWork::Backward(const ActorCritic& nets, const Heads& head_gradients, int num_rows,
                               const Gradients& gradients) {
  if (critic_) {
    actor_->Backward(nets.actor_parameters(), head_gradients.policy, num_rows, gradients.actor);
    critic_->Backward(nets.critic_parameters(), head_gradients.values, num_rows, gradients.critic);
    return;
  }
  const size_t num_outputs = size_t(nets.spec().num_outputs);
  auto to = joined_.begin();
  for (size_t row = 0; row < size_t(num_rows); ++row) {
    to = std::copy_n(head_gradients.policy.begin() + std::ptrdiff_t(row * num_outputs), num_outputs,
                     to);
    *to++ = head_gradients.values[row];
  }
  actor_->Backward(nets.actor_parameters(),
                   std::span(joined_).first(size_t(num_rows) * (num_outputs + 1)), num_rows,
                   gradients.actor);
}

std::span<const float> ActorCriticWork::ValuesOf(const ActorCritic& nets,
                                                 std::span<const std::byte> carried) {
  const int num_rows = static_cast<int>(carried.size() / nets.critic_view().carried_row_bytes());
  if (critic_) {
    GatherRows(nets.critic_view(), carried, 0, *critic_);
    return critic_->Forward(nets.critic_parameters(), num_rows);
  }
  Gather(nets, carried, 0);
  return Forward(nets, num_rows).values;
}

}  // namespace lapforge::agents
