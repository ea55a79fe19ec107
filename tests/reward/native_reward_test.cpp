// The native reward: each term against hand-computed values, their sum, and the means for the log.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/reward/reward_fixture.h"

namespace lapforge::reward {
namespace {

// No term at all, scale 1.
NativeRewardOptions Nothing() {
  NativeRewardOptions options;
  options.scale = 1;
  options.progress_per_m = 0;
  options.off_track_penalty = 0;
  return options;
}

double RewardOf(const NativeRewardOptions& options, const sim::StepFacts& facts) {
  return UserFiles::Call(*MakeNativeReward(options), facts);
}

TEST_CASE("The default is spec/learning.md section 3 with c = 0") {
  sim::StepFacts facts;
  facts.progress_delta_m = 0.2;
  facts.action = {0.5, 0};
  CHECK(RewardOf({}, facts) == Approx(0.1 * 0.2 / 0.267).epsilon(1e-3));
  facts.is_off_track = true;
  CHECK(RewardOf({}, facts) == Approx(0.1 * (0.2 / 0.267 - 5)).epsilon(1e-3));
}

TEST_CASE("Smoothness pays for a change of the steering action") {
  NativeRewardOptions options = Nothing();
  options.smoothness = 0.5;
  sim::StepFacts facts;
  facts.action = {-0.5, 1};
  facts.last_action = {0.25, -1};
  CHECK(RewardOf(options, facts) == -0.375);
}

TEST_CASE("Center is 1 in the middle, 0 at the border of either side and beyond") {
  NativeRewardOptions options = Nothing();
  options.center = 2;
  const tracks::Track track = SquareTrack();
  const auto at_offset = [&](double offset_m) {
    return RewardOf(options, FactsAt(track, {2, offset_m}));
  };
  CHECK(at_offset(0) == 2.0);
  CHECK(at_offset(0.2) == Approx(2 * 0.75));
  CHECK(at_offset(-0.2) == Approx(2 * 0.75));
  CHECK(at_offset(0.4) == Approx(0).margin(1e-7));
  CHECK(at_offset(-0.6) == 0.0);
  CHECK(RewardOf(options, {}) == 0.0);  // a road without width
}

TEST_CASE("Speed is the measured one in the plane") {
  NativeRewardOptions options = Nothing();
  options.speed_per_mps = 0.5;
  sim::StepFacts facts;
  facts.car.velocity_body_mps = {3, -4, 100};
  facts.speed_cmd_mps = 1;
  CHECK(RewardOf(options, facts) == 2.5);
}

TEST_CASE("Term means sum to the mean reward and start anew when taken") {
  NativeRewardOptions options;
  options.smoothness = 0.5;
  const auto reward = MakeNativeReward(options);
  CHECK(reward->TakeTermMeans().empty());

  std::vector<sim::StepFacts> facts(4);
  facts[0].progress_delta_m = 0.4;
  facts[1].is_off_track = true;
  facts[2].action[0] = 1;
  facts[3].reason = sim::EndReason::kFault;
  facts[3].progress_delta_m = NAN;
  std::vector<float> rewards(4);
  REQUIRE(reward->Evaluate(facts, rewards).ok());
  CHECK(rewards[3] == 0.0F);

  const std::vector<RewardTerm> means = reward->TakeTermMeans();
  REQUIRE(means.size() == 3);
  CHECK(means[0].name == "progress");
  CHECK(means[0].mean == Approx(0.1 * 3.745 * 0.4 / 4));
  CHECK(means[1].name == "off_track");
  CHECK(means[1].mean == Approx(-0.5 / 4));
  CHECK(means[2].name == "smoothness");
  CHECK(means[2].mean == Approx(-0.05 / 4));
  const double sum = means[0].mean + means[1].mean + means[2].mean;
  CHECK(sum == Approx((rewards[0] + rewards[1] + rewards[2]) / 4));
  CHECK(reward->TakeTermMeans().empty());
}

TEST_CASE("Options choose the reward, and their names are settable") {
  const UserFiles files;
  RewardOptions options;
  CHECK(SetOption(options, "native.smoothness", "0.5").ok());
  CHECK(options.native.smoothness == 0.5);
  CHECK_FALSE(SetOption(options, "native.scale", "-1").ok());

  const auto native = MakeReward(options, files.views());
  REQUIRE(native.ok());
  CHECK(files.Call(**native) == 0.0F);

  options.python_file = files.Write("three.py", FunctionOf("return 3")).string();
  const auto python = MakeReward(options, files.views());
  REQUIRE(python.ok());
  CHECK(files.Call(**python) == 3.0F);
  CHECK((*python)->TakeTermMeans().empty());

  options.python_file = "/nowhere/reward.py";
  CHECK_FALSE(MakeReward(options, files.views()).ok());
}

}  // namespace
}  // namespace lapforge::reward
