// What the learner needs of the world: many envs stepped together. The simulator with a reward
// function is one; tests bring small ones with known answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "agents/nets/action_distribution.h"
#include "reward/reward_function.h"
#include "sim/base/result.h"
#include "sim/sensors.h"
#include "sim/vector_sim.h"

namespace lapforge::agents {

using sim::EnvRange;

struct EnvironmentSpec {
  int num_envs = 0;
  sim::ObservationSpec row;  // what one env shows
  DistributionKind kind = DistributionKind::kGaussian;
  int num_outputs = 0;  // of the actor: action dimensions or number of actions
  int action_dim = 0;   // numbers an action takes
};

// Rows without images as numbers.
inline std::span<float> FloatsOf(std::span<std::byte> rows) {
  return {reinterpret_cast<float*>(rows.data()), rows.size() / sizeof(float)};
}

// Caller-owned rows of one step; [num_envs, ...].
struct EnvironmentStep {
  std::span<const float> actions;           // [num_envs, action_dim]
  std::span<std::byte> observations;        // [num_envs, row_bytes] after any new start
  std::span<std::byte> final_observations;  // [num_envs, row_bytes] written where truncated
  std::span<float> rewards;                 // [num_envs]
  std::span<uint8_t> terminated;            // [num_envs]
  std::span<uint8_t> truncated;             // [num_envs]
};

// Episodes that ended since the last call.
struct EpisodeStats {
  int64_t num_episodes = 0;
  double sum_return = 0;
  double sum_steps = 0;
  double sum_completion_pct = 0;
  int64_t num_laps = 0;
  double best_lap_time_s = 0;  // 0: no lap
};

class Environment {
 public:
  virtual ~Environment() = default;
  virtual const EnvironmentSpec& spec() const = 0;
  virtual void Reset(std::span<std::byte> observations) = 0;
  // An error: the user's reward function failed too often, or was interrupted.
  virtual Result<void> Step(const EnvironmentStep& step) = 0;
  // Envs that can be stepped one after the other, so that a learner thinks about some while others
  // drive. StepPart reads and writes the rows of one part; all parts in order are one Step.
  virtual std::vector<EnvRange> Parts() const { return {{0, spec().num_envs}}; }
  virtual Result<void> StepPart(const EnvRange&, const EnvironmentStep& step) { return Step(step); }
  // Sensors that a device draws into its own memory, where a learner has rows there; see
  // VectorSim::DrawInto.
  virtual std::vector<sim::SensorSpec> DrawnSensors() const { return {}; }
  virtual void DrawInto(const sim::DeviceRows&) {}
  virtual EpisodeStats TakeEpisodeStats() = 0;
  virtual std::vector<reward::RewardTerm> TakeRewardTerms() { return {}; }
  virtual std::vector<reward::RewardErrorCount> RewardErrorCounts() const { return {}; }
  virtual void ForgetRewardErrors() {}
  virtual std::vector<std::byte> Save() const = 0;
  virtual Result<void> Restore(std::span<const std::byte> bytes) = 0;
};

}  // namespace lapforge::agents
