// The native reward: each term against hand-computed values, their sum, and the means for the log.
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/base/strings.h"
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

TEST_CASE("Heading is the cosine of the heading error") {
  NativeRewardOptions options = Nothing();
  options.heading = 2;
  sim::StepFacts facts;
  CHECK(RewardOf(options, facts) == 2.0);
  facts.heading_error_rad = RadFromDeg(-60);
  CHECK(RewardOf(options, facts) == Approx(1));
  facts.heading_error_rad = RadFromDeg(180);
  CHECK(RewardOf(options, facts) == -2.0);
}

TEST_CASE("Ends: a penalty for failures, a bonus for laps, neither for a limit") {
  NativeRewardOptions options = Nothing();
  options.termination_penalty = 3;
  options.lap_bonus = 7;
  sim::StepFacts facts;
  CHECK(RewardOf(options, facts) == 0.0);
  facts.truncated = true;
  CHECK(RewardOf(options, facts) == 0.0);
  facts.lap_time_us = 4'000'000;
  CHECK(RewardOf(options, facts) == 7.0);
  facts.terminated = true;
  CHECK(RewardOf(options, facts) == 4.0);
}

// A line around the square as TUM's CSV, this far left of the centerline.
std::string SquareLineCsv(double offset_m) {
  const tracks::Track track = SquareTrack();
  std::string text = "# s_m; x_m; y_m; psi_rad; kappa_radpm; vx_mps; ax_mps2\n";
  constexpr int kCount = 64;
  for (int i = 0; i <= kCount; ++i) {
    const Vec2 point_m = track.PointAt(16.0 * (i % kCount) / kCount, offset_m);
    text += StrCat(0.25 * i, "; ", point_m.x, "; ", point_m.y, "; 0; 0; 1; 0\n");
  }
  return text;
}

TEST_CASE("The racing line pays on the line, in both directions") {
  const UserFiles files;
  RewardOptions options;
  options.native = Nothing();
  options.native.raceline = 2;
  options.native.raceline_file = files.Write("line.csv", SquareLineCsv(0.2)).string();
  const auto reward = MakeReward(options, files.views());
  if (!reward.ok()) FAIL(reward.error().message);

  const auto at_offset = [&](double offset_m) {
    return files.Call(**reward, FactsAt(SquareTrack(), {2, offset_m}));
  };
  CHECK(at_offset(0.2) == Approx(2));
  CHECK(at_offset(0) == Approx(2 * 0.75));  // half of the half width away
  CHECK(at_offset(-0.2) == Approx(0).margin(1e-6));
  CHECK(at_offset(-0.3) == 0.0F);

  // driven the other way, the line's place in the world stays
  sim::StepFacts facts = FactsAt(SquareTrack().Reversed(), {2, 0.2});
  facts.track_index = 1;
  CHECK(files.Call(**reward, facts) == Approx(2));
  facts = FactsAt(SquareTrack().Reversed(), {2, 0});
  facts.track_index = 1;
  CHECK(files.Call(**reward, facts) == Approx(2 * 0.75));
}

TEST_CASE("Lines that cannot be followed are refused") {
  const UserFiles files;
  RewardOptions options;
  options.native.raceline = 1;
  const auto error = [&] { return MakeReward(options, files.views()).error().message; };
  CHECK_THAT(error(), Catch::Contains("reward.native.raceline_file"));
  options.native.raceline_file = "/nowhere/line.csv";
  CHECK_THAT(error(), Catch::Contains("/nowhere/line.csv"));
  options.native.raceline_file = files.Write("far.csv", SquareLineCsv(0.9)).string();
  CHECK_THAT(error(), Catch::Contains("far.csv: the line leaves the road of square by"));
  const std::string whole = SquareLineCsv(0);
  options.native.raceline_file =
      files.Write("half.csv", whole.substr(0, whole.find("\n8;"))).string();
  CHECK_THAT(error(), Catch::Contains("half.csv: the line has no point from"));
  options.native.raceline_file = files.Write("text.csv", "a; b\n").string();
  CHECK_THAT(error(), Catch::Contains("text.csv"));
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
