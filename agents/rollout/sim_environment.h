// The simulator and a reward function as the learner's environment.
#pragma once

#include <memory>

#include "agents/rollout/environment.h"
#include "reward/reward_function.h"
#include "sim/sim_options.h"
#include "sim/vector_sim.h"

namespace lapforge::agents {

// What a net sees and does under these options.
EnvironmentSpec SpecOf(const sim::VectorSim& sim);

// Borrows both. Where the reward of an env fails, its episode ends there as kRewardError, worth 0
// and terminated; with the `max_reward_errors`th such episode since Reset, a step is an error.
std::unique_ptr<Environment> MakeSimEnvironment(sim::VectorSim* sim, reward::RewardFunction* reward,
                                                int64_t max_reward_errors);

}  // namespace lapforge::agents
