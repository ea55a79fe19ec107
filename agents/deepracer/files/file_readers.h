// The two files, one reader each.
#pragma once

#include "agents/deepracer/deepracer_files.h"
#include "sim/base/result.h"

namespace lapforge::agents {

// Env steps of a rollout at most, by network: what DeepRacer keeps in memory
// (spec/deepracer.md section 3).
inline constexpr int kMaxRolloutSteps = 10000;
inline constexpr int kMaxRolloutStepsDeep = 3000;

// Adds what model_metadata.json says; returns its network's rollout limit.
Result<int> ReadModelMetadata(const std::string& path, DeepRacerSettings& settings);

// Adds what hyperparameters.json says.
Result<void> ReadHyperparameters(const std::string& path, int max_rollout_steps,
                                 DeepRacerSettings& settings);

}  // namespace lapforge::agents
