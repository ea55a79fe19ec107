#include "agents/rollout/sim_environment.h"

#include <algorithm>

#include "agents/learner.h"
#include "agents/rollout/reward_errors.h"
#include "sim/base/byte_buffer.h"

namespace lapforge::agents {
namespace {

// An env's episode so far.
struct RunningEpisode {
  double episode_return = 0;
  double num_steps = 0;
};

class SimEnvironment : public Environment {
 public:
  SimEnvironment(sim::VectorSim* sim, reward::RewardFunction* reward, int64_t max_reward_errors)
      : sim_(sim),
        reward_(reward),
        max_reward_errors_(max_reward_errors),
        spec_(SpecOf(*sim)),
        facts_(size_t(sim->num_envs())),
        episodes_(size_t(sim->num_envs())) {}

  const EnvironmentSpec& spec() const override { return spec_; }

  void Reset(std::span<std::byte> observations) override {
    sim_->Reset(observations);
    episodes_.assign(episodes_.size(), {});
    stats_ = {};
    reward_errors_ = {};
  }

  Result<void> Step(const EnvironmentStep& step) override {
    return StepPart({0, spec_.num_envs}, step);
  }

  // Two halves, of whole worlds.
  std::vector<EnvRange> Parts() const override {
    const sim::SimOptions& options = sim_->options();
    const int middle = options.num_worlds() / 2 * options.cars_per_world;
    if (middle == 0) return {{0, spec_.num_envs}};
    return {{0, middle}, {middle, spec_.num_envs}};
  }

  Result<void> StepPart(const EnvRange& envs, const EnvironmentStep& step) override {
    sim_->Step({step.actions, step.observations, step.final_observations, facts_}, envs);
    LAPFORGE_CHECK_OK(Reward(envs, step));
    if (sim_->eyes_error()) return *sim_->eyes_error();
    for (size_t env = size_t(envs.begin); env < size_t(envs.end); ++env) {
      step.terminated[env] = facts_[env].terminated;
      step.truncated[env] = facts_[env].truncated;
      CountStep(facts_[env], step.rewards[env], episodes_[env]);
    }
    return {};
  }

  std::vector<sim::SensorSpec> DrawnSensors() const override { return sim_->drawn_sensors(); }
  void DrawInto(const sim::DeviceRows& rows) override { sim_->DrawInto(rows); }

  EpisodeStats TakeEpisodeStats() override { return std::exchange(stats_, {}); }

  std::vector<reward::RewardTerm> TakeRewardTerms() override { return reward_->TakeTermMeans(); }

  std::vector<reward::RewardErrorCount> RewardErrorCounts() const override {
    return reward_errors_.counts();
  }

  void ForgetRewardErrors() override { reward_errors_ = {}; }

  std::vector<std::byte> Save() const override {
    ByteWriter writer;
    writer.Write(episodes_);
    reward_errors_.Save(writer);
    writer.Write(sim_->Save());
    return writer.Take();
  }

  Result<void> Restore(std::span<const std::byte> bytes) override {
    ByteReader reader(bytes);
    std::vector<RunningEpisode> episodes;
    RewardErrors reward_errors = reward_errors_;
    std::vector<std::byte> sim_state;
    reader.Read(episodes);
    reward_errors.Restore(reader);
    reader.Read(sim_state);
    if (!reader.AtEnd()) return ErrorOf("the saved environment is damaged");
    if (episodes.size() != episodes_.size()) {
      return ErrorOf("the saved environment has ", episodes.size(), " cars; sim.num_envs is ",
                     episodes_.size());
    }
    LAPFORGE_CHECK_OK(sim_->Restore(sim_state));
    episodes_ = std::move(episodes);
    reward_errors_ = std::move(reward_errors);
    stats_ = {};
    TakeRewardTerms();  // of steps that are undone
    return {};
  }

 private:
  // What fails ends its episode, until there are too many.
  Result<void> Reward(const EnvRange& envs, const EnvironmentStep& step) {
    const size_t first = size_t(envs.begin);
    const size_t count = size_t(envs.size());
    const int64_t num_left = max_reward_errors_ - reward_errors_.total();
    failures_.enough = static_cast<size_t>(std::max(int64_t{1}, num_left));
    failures_.list.clear();
    LAPFORGE_CHECK_OK(reward_->EvaluateEach(std::span(facts_).subspan(first, count),
                                            step.rewards.subspan(first, count), failures_));
    for (const reward::RewardFailure& failure : failures_.list) {
      reward_errors_.Count(failure);
      if (reward_errors_.total() >= max_reward_errors_) {
        return ErrorOf(failure.message, "; reward errors have now ended ", reward_errors_.total(),
                       " of at most ", max_reward_errors_, " episodes ", kTooManyRewardErrors);
      }
      EndEpisode(first + failure.index, step.observations);
    }
    return {};
  }

  void EndEpisode(size_t env, std::span<std::byte> observations) {
    sim::StepFacts& facts = facts_[env];
    if (!facts.ended()) {
      sim_->EndEpisode(static_cast<int>(env), observations);
    }
    facts.terminated = true;
    facts.truncated = false;
    facts.reason = sim::EndReason::kRewardError;
  }

  void CountStep(const sim::StepFacts& facts, float reward, RunningEpisode& episode) {
    episode.episode_return += reward;
    episode.num_steps += 1;
    if (facts.lap_time_us > 0) {
      const double lap_time_s = static_cast<double>(facts.lap_time_us) * 1e-6;
      ++stats_.num_laps;
      if (stats_.best_lap_time_s == 0 || lap_time_s < stats_.best_lap_time_s) {
        stats_.best_lap_time_s = lap_time_s;
      }
    }
    if (!facts.ended()) return;
    ++stats_.num_episodes;
    stats_.sum_return += episode.episode_return;
    stats_.sum_steps += episode.num_steps;
    stats_.sum_completion_pct += facts.lap_count > 0 ? 100 : facts.progress_pct;
    episode = {};
  }

  sim::VectorSim* sim_;
  reward::RewardFunction* reward_;
  int64_t max_reward_errors_;
  EnvironmentSpec spec_;
  std::vector<sim::StepFacts> facts_;
  std::vector<RunningEpisode> episodes_;
  EpisodeStats stats_;
  RewardErrors reward_errors_;
  reward::RewardFailures failures_;
};

}  // namespace

EnvironmentSpec SpecOf(const sim::VectorSim& sim) {
  const sim::SimOptions& options = sim.options();
  const bool is_continuous = options.actions.kind == sim::ActionKind::kContinuous;
  EnvironmentSpec spec;
  spec.num_envs = sim.num_envs();
  spec.row = sim.observation_spec();
  spec.kind = is_continuous ? DistributionKind::kGaussian : DistributionKind::kCategorical;
  spec.action_dim = options.action_dim();
  spec.num_outputs = is_continuous ? spec.action_dim : options.num_actions();
  return spec;
}

std::unique_ptr<Environment> MakeSimEnvironment(sim::VectorSim* sim, reward::RewardFunction* reward,
                                                int64_t max_reward_errors) {
  return std::make_unique<SimEnvironment>(sim, reward, max_reward_errors);
}

}  // namespace lapforge::agents
