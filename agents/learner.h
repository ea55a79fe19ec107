// What a run needs of anything that learns to drive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/policy.h"
#include "reward/reward_function.h"
#include "sim/base/result.h"
#include "sim/sim_options.h"

namespace lapforge::agents {

struct Evaluation;
struct TrainOptions;

// What is learned now. Reward: the policy itself, from its reward. Teacher: one that may see more
// than the policy will. Student: the policy, from that teacher; then perhaps from its reward.
enum class LearningPhase { kReward, kTeacher, kStudent };

// How the error of an iteration ends in which the reward failed too often.
inline constexpr std::string_view kTooManyRewardErrors = "(reward.max_errors)";

// Asked between control steps and between minibatches: true to stop there. Empty: never.
using StopCheck = std::function<bool()>;

// What one iteration did; the metric names are those of DESIGN.md section 5.
struct IterationStats {
  LearningPhase phase = LearningPhase::kReward;
  int64_t iteration = 0;
  int64_t env_steps = 0;      // total so far
  int64_t num_episodes = 0;   // ended in this iteration
  double episode_return = 0;  // mean over those episodes
  double episode_steps = 0;
  double completion_pct = 0;   // mean progress at the end of those episodes
  double best_lap_time_s = 0;  // of laps completed in this iteration, 0: none
  int64_t num_laps = 0;
  double policy_loss = 0;
  double value_loss = 0;
  double entropy = 0;
  double approx_kl = 0;
  double clip_fraction = 0;
  double explained_variance = 0;
  double distill_loss = 0;  // kStudent: how far from the teacher's actions
  double learning_rate = 0;
  double collect_s = 0;  // wall time, for throughput only: never feeds back
  double update_s = 0;
  std::vector<reward::RewardTerm> reward_terms;
  int64_t num_reward_errors = 0;  // total so far: episodes that the reward function ended
  int64_t new_env_steps = 0;      // of this iteration

  double env_steps_per_s() const {
    return static_cast<double>(new_env_steps) / (collect_s + update_s);
  }
};

// A large part of a run's memory, and the options that make it large.
struct MemoryPart {
  std::string options;  // "ppo.horizon or sim.num_envs"
  double bytes = 0;
};

// What a run with these options on so many tracks will allocate, to about a fifth; small parts are
// left out. A device's own memory does not count.
std::vector<MemoryPart> EstimateMemory(const TrainOptions& options, size_t num_tracks);

// Of one car in a simulator, with its rows.
double BytesPerCar(const sim::SimOptions& options);

class Learner {
 public:
  virtual ~Learner() = default;

  // One round of collecting and learning, or nothing where `should_stop` says so. An iteration that
  // did not come to its end, by a stop or an error, is undone: everything that Save() saves is as
  // before.
  virtual Result<std::optional<IterationStats>> RunIteration(const StopCheck& should_stop) = 0;

  // True where the last iteration failed because a loss or a gradient was not finite: it might not,
  // at a lower learning rate.
  virtual bool has_diverged() const = 0;
  // Scales the learning rate of all iterations to come, 0 .. 1; part of the state.
  virtual void ScaleLearningRate(double factor) = 0;

  virtual int64_t env_steps() const = 0;
  virtual int64_t iteration() const = 0;
  // Of the whole run, in the order of their first episodes.
  virtual std::vector<reward::RewardErrorCount> reward_errors() const { return {}; }
  // For a reward that was mended: its errors are counted from 0.
  virtual void ForgetRewardErrors() {}
  virtual LearningPhase phase() const { return LearningPhase::kReward; }

  // The policy as it is now; while a teacher learns, the student that it will teach.
  virtual Policy policy() const = 0;
  // Drives by the newest nets of the present phase: kTeacher sees PrivilegedSensors, else the
  // policy's own. Ask again after each iteration.
  virtual PolicyDriver& driver() = 0;
  // True where it waits to hear how well driver() drives before it goes on to another phase.
  virtual bool awaits_evaluation() const { return false; }
  // Told how driver() drives, after each evaluation.
  virtual void OnEvaluation(const Evaluation&) {}
  // Told that its laps no longer get better. True: it goes on to another phase, where they may.
  virtual bool BeginNextPhase() { return false; }

  // Everything that decides the future. Restoring continues to the same bits; bytes of another run
  // are an error that changes nothing.
  virtual std::vector<std::byte> Save() const = 0;
  virtual Result<void> Restore(std::span<const std::byte> bytes) = 0;
  // Hash of all parameters, for comparisons.
  virtual uint64_t ParameterHash() const = 0;
};

}  // namespace lapforge::agents
