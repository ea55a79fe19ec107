// Replayed rewards: the facts they see against a simulator that makes DeepRacer's facts itself, the
// cutting into laps, sums and terms.
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "reward/reward_replay.h"
#include "sim/pure_pursuit.h"
#include "sim/recording.h"
#include "sim/vector_sim.h"
#include "tests/reward/reward_fixture.h"

namespace lapforge::reward {
namespace {

sim::SimOptions DriveOptions(sim::FactsInstant facts) {
  sim::SimOptions options;
  options.num_envs = 2;
  options.facts = facts;
  options.episode.start = sim::StartMode::kSpread;
  options.episode.max_laps = 1;
  options.episode.max_steps = 1000;
  return options;
}

std::unique_ptr<sim::VectorSim> MakeSim(const sim::SimOptions& options, ThreadPool* pool) {
  auto sim = sim::VectorSim::Create(options, sim::LoadBuiltInCar(options.car).value(),
                                    {SquareTrack()}, pool);
  if (!sim.ok()) FAIL(sim.error().message);
  return std::move(*sim);
}

// Two cars that drive until both have ended `num_episodes`, and a few steps more.
sim::Recording Drive(const sim::SimOptions& options, int num_episodes) {
  ThreadPool pool(1);
  const auto sim = MakeSim(options, &pool);
  const sim::PurePursuit driver(*sim);
  const size_t row_bytes = sim->observation_spec().row_bytes;
  std::vector<std::byte> observations(2 * row_bytes), final_observations(2 * row_bytes);
  std::vector<float> actions(4);
  std::vector<sim::StepFacts> facts(2);
  sim->Reset(observations);
  sim::Recorder recorder(*sim);
  std::array<int, 2> num_ended{};
  for (int more = 5; more > 0;) {
    driver.Decide(actions);
    sim->Step({actions, observations, final_observations, facts});
    recorder.Add(actions);
    for (size_t env = 0; env < 2; ++env) num_ended[env] += facts[env].ended();
    if (num_ended[0] >= num_episodes && num_ended[1] >= num_episodes) --more;
  }
  return recorder.Take();
}

// Every number of the params that a step may change, in one.
const char kDigest[] =
    "import math\n"
    "NAMED = 'yaw_rate'\n"
    "def reward_function(params):\n"
    "    p = params\n"
    "    numbers = [v for v in p.values() if isinstance(v, (bool, int, float))]\n"
    "    numbers += p['closest_waypoints']\n"
    "    return sum(math.sin(k + n) for k, n in enumerate(numbers))\n";

TEST_CASE("A measured recording is shown as a simulator with DeepRacer's facts shows it") {
  const UserFiles files;
  RewardReplayOptions options;
  options.reward.python_file = files.Write("digest.py", kDigest).string();
  const sim::Recording recording = Drive(DriveOptions(sim::FactsInstant::kMeasured), 1);
  const auto replay = ReplayReward(recording, options);
  if (!replay.ok()) FAIL(replay.error().message);
  REQUIRE(replay->laps.size() == 2);

  // the same actions; the last one twice, since that simulator judges a step later
  ThreadPool pool(1);
  const auto sim = MakeSim(DriveOptions(sim::FactsInstant::kDeepracer), &pool);
  const auto reward = MakeReward(options.reward, sim->tracks());
  if (!reward.ok()) FAIL(reward.error().message);
  std::vector<std::byte> observations(2 * sim->observation_spec().row_bytes);
  std::vector<std::byte> final_observations(observations.size());
  std::vector<sim::StepFacts> facts(2);
  std::array<size_t, 2> num_shown{};
  std::array<bool, 2> has_ended{};
  sim->Reset(observations);
  for (int step = 0; !has_ended[0] || !has_ended[1]; ++step) {
    std::vector<float> actions(4);
    for (size_t env = 0; env < 2; ++env) {
      const size_t last = replay->laps[env].steps.size() - 2;
      const size_t row = std::min<size_t>(size_t(step), last);
      std::copy_n(recording.actions.begin() + ptrdiff_t(4 * row + 2 * env), 2,
                  actions.begin() + ptrdiff_t(2 * env));
    }
    sim->Step({actions, observations, final_observations, facts});
    for (size_t env = 0; env < 2; ++env) {
      if (has_ended[env]) continue;
      const RewardedLap& lap = replay->laps[env];
      REQUIRE(num_shown[env] < lap.steps.size());
      INFO("car " << env << ", step " << step);
      REQUIRE(lap.steps[num_shown[env]].reward == UserFiles::Call(**reward, facts[env]));
      ++num_shown[env];
      has_ended[env] = facts[env].ended();
      if (has_ended[env]) CHECK(num_shown[env] == lap.steps.size());
    }
  }
}

TEST_CASE("Figures of laps are those of their steps") {
  RewardReplayOptions options;
  options.facts = sim::FactsInstant::kMeasured;
  options.discount = 0.5;
  const auto replay = ReplayReward(Drive(DriveOptions(options.facts), 2), options);
  if (!replay.ok()) FAIL(replay.error().message);

  // two laps of each car; what they drive after the second is left out
  REQUIRE(replay->laps.size() == 4);
  CHECK(replay->term_names == std::vector<std::string>{"progress", "off_track"});
  for (const RewardedLap& lap : replay->laps) {
    CHECK(lap.reason == sim::EndReason::kLapComplete);
    CHECK(lap.summary.is_lap());
    double sum = 0, discounted = 0, weight = 1;
    for (const RewardedStep& step : lap.steps) {
      CHECK(step.terms[0] + step.terms[1] == Approx(step.reward).epsilon(1e-6));
      sum += step.reward;
      discounted += weight * step.reward;
      weight /= 2;
    }
    CHECK(lap.summary.total_reward == Approx(sum));
    CHECK(lap.summary.discounted_return == Approx(discounted));
    CHECK(lap.summary.num_steps == int(lap.steps.size()));
    // the way round is 16 m, up to a step beyond the line
    CHECK(sum == Approx(0.1 * 3.745 * 16).epsilon(0.02));
    CHECK(lap.steps.front().number == 1);
  }
  CHECK(replay->laps[1].summary.name == "car 1, lap 2");
}

TEST_CASE("Laps of one episode are cut at the line") {
  sim::SimOptions drive = DriveOptions(sim::FactsInstant::kMeasured);
  drive.episode.max_laps = 3;
  const auto replay = ReplayReward(Drive(drive, 1), {});
  if (!replay.ok()) FAIL(replay.error().message);
  REQUIRE(replay->laps.size() == 6);
  CHECK(replay->laps[0].reason == sim::EndReason::kNone);
  CHECK(replay->laps[0].steps.back().progress_pct == 100);
  CHECK(replay->laps[2].reason == sim::EndReason::kLapComplete);
}

TEST_CASE("What cannot be replayed is said in one line") {
  const UserFiles files;
  sim::Recording recording = Drive(DriveOptions(sim::FactsInstant::kMeasured), 1);
  RewardReplayOptions options;
  options.recording_name = "best.lfrec";
  options.reward.python_file = files.Write("bad.py", FunctionOf("return params['spead']")).string();
  CHECK_THAT(ReplayReward(recording, options).error().message,
             Catch::Contains("bad.py:2: KeyError: 'spead' (did you mean 'speed'?)"));
  options.reward.python_file = "/nowhere.py";
  CHECK_THAT(ReplayReward(recording, options).error().message, Catch::Contains("/nowhere.py"));

  options.reward.python_file.clear();
  recording.hashes[7] ^= 1;
  CHECK_THAT(ReplayReward(recording, options).error().message,
             Catch::StartsWith("best.lfrec: the drive differs from step 7 on"));
}

}  // namespace
}  // namespace lapforge::reward
