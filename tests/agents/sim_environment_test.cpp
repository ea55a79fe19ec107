// Tests the simulator with a reward as the learner's environment: what a failing reward ends.
#include "agents/rollout/sim_environment.h"

#include "sim/base/log.h"
#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

// Pays 1, and fails for the envs that it is told to, with the message it is told.
class FailingReward : public reward::RewardFunction {
 public:
  Result<void> Evaluate(std::span<const sim::StepFacts>, std::span<float>) override {
    return ErrorOf("the learner calls EvaluateEach");
  }
  Result<void> EvaluateEach(std::span<const sim::StepFacts> facts, std::span<float> rewards,
                            reward::RewardFailures& failures) override {
    CHECK(failures.list.empty());
    for (size_t i = 0; i < facts.size(); ++i) {
      const bool fails = std::count(envs.begin(), envs.end(), i) > 0;
      rewards[i] = fails ? 0 : 1;
      if (fails) failures.list.push_back({i, message});
    }
    return {};
  }

  std::vector<size_t> envs;
  std::string message = "reward.py:3: broken";
};

// An environment of four cars, its rows, and what is logged.
struct Rig {
  explicit Rig(int64_t max_errors = 20) {
    options.sim.num_envs = 4;
    const sim::CarSpec car = ValueOf(sim::LoadCar(options.sim.car));
    sim = ValueOf(sim::VectorSim::Create(options.sim, car, {Oval()}, &pool));
    environment = MakeSimEnvironment(sim.get(), &reward, max_errors);
    observations.resize(4 * environment->spec().row.row_bytes);
    final_observations.resize(observations.size());
    environment->Reset(observations);
    SetLogSink([this](LogLevel, std::string_view line) { lines.emplace_back(line); });
  }
  ~Rig() { SetLogSink({}); }

  Result<void> Step() {
    return environment->Step(
        {actions, observations, final_observations, rewards, terminated, truncated});
  }

  TrainOptions options = SmallOptions();
  ThreadPool pool{1};
  FailingReward reward;
  std::unique_ptr<sim::VectorSim> sim;
  std::unique_ptr<Environment> environment;
  std::vector<std::byte> observations, final_observations;
  std::vector<float> actions = std::vector<float>(8, 0.1F);
  std::vector<float> rewards = std::vector<float>(4);
  std::vector<uint8_t> terminated = std::vector<uint8_t>(4);
  std::vector<uint8_t> truncated = std::vector<uint8_t>(4);
  std::vector<std::string> lines;
};

TEST_CASE("a failing reward ends the episodes of its envs alone, worth 0") {
  Rig rig;
  RequireOk(rig.Step());
  rig.reward.envs = {1, 3};
  RequireOk(rig.Step());
  CHECK(rig.rewards == std::vector<float>{1, 0, 1, 0});
  CHECK(rig.terminated == std::vector<uint8_t>{0, 1, 0, 1});
  CHECK(rig.truncated == std::vector<uint8_t>(4));
  for (int env = 0; env < 4; ++env) CHECK(rig.sim->now(env).episode_index == uint32_t(env % 2));

  // the rows are those of the new starts
  std::vector<std::byte> now(rig.observations.size());
  rig.sim->Observe(now);
  CHECK((rig.observations == now));

  const EpisodeStats stats = rig.environment->TakeEpisodeStats();
  CHECK(stats.num_episodes == 2);
  CHECK(stats.sum_return == 2);  // of the first step of each
  CHECK(stats.sum_steps == 4);

  rig.reward.envs = {};
  RequireOk(rig.Step());
  CHECK(rig.rewards == std::vector<float>(4, 1));
  CHECK(rig.terminated == std::vector<uint8_t>(4));
}

TEST_CASE("errors of the reward are counted by message and logged once each") {
  Rig rig;
  rig.reward.envs = {1, 3};
  RequireOk(rig.Step());
  rig.reward.message = "reward.py:4: also broken";
  RequireOk(rig.Step());
  RequireOk(rig.Step());
  const auto counts = rig.environment->RewardErrorCounts();
  REQUIRE(counts.size() == 2);
  CHECK(counts[0].message == "reward.py:3: broken");
  CHECK(counts[0].num_episodes == 2);
  CHECK(counts[1].message == "reward.py:4: also broken");
  CHECK(counts[1].num_episodes == 4);
  REQUIRE(rig.lines.size() == 2);
  CHECK(rig.lines[0].starts_with("warning: reward.py:3: broken (this ends an episode"));
  CHECK(rig.lines[1].starts_with("warning: reward.py:4: also broken (this ends an episode"));
}

TEST_CASE("messages without end share one count, and the log is spared") {
  Rig rig(1000);
  rig.reward.envs = {0};
  for (int i = 0; i < 100; ++i) {
    rig.reward.message = "reward.py:3: value " + std::to_string(i);
    RequireOk(rig.Step());
  }
  const auto counts = rig.environment->RewardErrorCounts();
  CHECK(counts.size() == 21);
  CHECK(counts.back().message == "other errors");
  CHECK(counts.back().num_episodes == 80);
  CHECK(rig.lines.size() == 20);
}

TEST_CASE("too many errors are an error of the step") {
  Rig rig(3);
  rig.reward.envs = {1};
  RequireOk(rig.Step());
  rig.reward.envs = {0, 1, 2};
  const Result<void> failed = rig.Step();
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message ==
        "reward.py:3: broken; reward errors have now ended 3 of at most 3 episodes "
        "(reward.max_errors)");
}

TEST_CASE("counts of errors are saved, and go back with what is undone") {
  Rig rig;
  rig.reward.envs = {2};
  RequireOk(rig.Step());
  const std::vector<std::byte> saved = rig.environment->Save();
  RequireOk(rig.Step());
  CHECK(rig.environment->RewardErrorCounts()[0].num_episodes == 2);
  RequireOk(rig.environment->Restore(saved));
  CHECK((rig.environment->Save() == saved));

  Rig other;
  RequireOk(other.environment->Restore(saved));
  REQUIRE(other.environment->RewardErrorCounts().size() == 1);
  CHECK(other.environment->RewardErrorCounts()[0].message == "reward.py:3: broken");
  CHECK(other.environment->RewardErrorCounts()[0].num_episodes == 1);
  for (size_t size = 0; size < saved.size(); size += 13) {
    CHECK_FALSE(other.environment->Restore(std::span(saved).first(size)).ok());
  }
}

}  // namespace
}  // namespace lapforge::agents
