#include <algorithm>

#include "agents/deepracer/deepracer_tree.h"
#include "agents/deepracer/tree/trace.h"

namespace lapforge::agents {

TracedReward::TracedReward(std::unique_ptr<reward::RewardFunction> inner, const sim::VectorSim* sim,
                           int num_workers)
    : inner_(std::move(inner)),
      sim_(sim),
      steps_(static_cast<size_t>(std::min(num_workers, sim->num_envs()))) {}

TracedReward::~TracedReward() = default;

Result<void> TracedReward::Evaluate(std::span<const sim::StepFacts> facts,
                                    std::span<float> rewards) {
  LAPFORGE_CHECK_OK(inner_->Evaluate(facts, rewards));
  Remember(facts, rewards);
  return {};
}

Result<void> TracedReward::EvaluateEach(std::span<const sim::StepFacts> facts,
                                        std::span<float> rewards,
                                        reward::RewardFailures& failures) {
  LAPFORGE_CHECK_OK(inner_->EvaluateEach(facts, rewards, failures));
  Remember(facts, rewards);
  for (const reward::RewardFailure& failure : failures.list) {
    const size_t env = static_cast<size_t>(facts[failure.index].env_index);
    if (env >= steps_.size()) continue;
    TraceRow& row = steps_[env].back();  // the learner ends the episode here
    row.is_last = true;
    row.reason = sim::EndReason::kRewardError;
  }
  return {};
}

void TracedReward::Remember(std::span<const sim::StepFacts> facts, std::span<const float> rewards) {
  const sim::SimOptions& options = sim_->options();
  const TraceClock clock = {options.facts, options.control_dt_s(), WallClockS()};
  for (size_t i = 0; i < facts.size(); ++i) {
    const size_t env = static_cast<size_t>(facts[i].env_index);
    if (env >= steps_.size()) continue;
    const tracks::Track& view = sim_->tracks()[static_cast<size_t>(facts[i].track_index)];
    steps_[env].push_back(MakeTraceRow(facts[i], view, rewards[i], clock));
  }
}

std::vector<std::vector<TraceRow>> TracedReward::TakeSteps(int64_t num_env_steps) {
  const int64_t num_steps = num_env_steps / sim_->num_envs();
  std::vector<std::vector<TraceRow>> taken(steps_.size());
  std::swap(taken, steps_);
  for (std::vector<TraceRow>& steps : taken) {
    const auto num_kept = std::min<std::ptrdiff_t>(num_steps, std::ssize(steps));
    steps.erase(steps.begin(), steps.end() - num_kept);
  }
  return taken;
}

}  // namespace lapforge::agents
