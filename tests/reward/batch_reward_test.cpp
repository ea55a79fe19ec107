// The batch form: one call for all cars gives what single calls give, and mistakes name the car.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "tests/reward/reward_fixture.h"

namespace lapforge::reward {
namespace {

// Cars at different places of the square, with boxes.
std::vector<sim::StepFacts> DifferentFacts(const UserFiles& files, size_t count) {
  std::vector<sim::StepFacts> facts;
  const tracks::Track track = files.views().front();
  for (size_t i = 0; i < count; ++i) {
    const double arc_length_m = track.length_m() * double(i) / double(count);
    sim::StepFacts& step =
        facts.emplace_back(FactsAt(track, track.PointAt(arc_length_m, 0.1 * std::sin(double(i)))));
    step.env_index = int32_t(i);
    step.car.yaw_rad = std::sin(3.0 * double(i));
    step.steps = int32_t(i) + 2;
    step.progress_pct = double(i);
    step.all_wheels_on_track = i % 2 == 0;
    step.speed_cmd_mps = 1 + 0.1 * double(i);
    step.steering_cmd_rad = 0.01 * double(i);
    step.num_objects = 1;
    step.objects[0].arc_length_m = double(i);
  }
  return facts;
}

std::vector<float> RewardsOf(RewardFunction& reward, const std::vector<sim::StepFacts>& facts) {
  std::vector<float> rewards(facts.size(), -1.0F);
  const Result<void> done = reward.Evaluate(facts, rewards);
  if (!done.ok()) FAIL(done.error().message);
  return rewards;
}

std::string BatchOf(const std::string& body) {
  return "import numpy\ndef reward_batch(params):\n    " + body + "\n";
}

TEST_CASE("Each row of the arrays is what the car's own call gets") {
  const UserFiles files;
  // the sum over all keys, each with a factor of its own
  const std::string keys =
      "KEYS = ['x', 'y', 'heading', 'distance_from_center', 'projection_distance', 'progress',\n"
      "        'steps', 'speed', 'steering_angle', 'track_width', 'track_length', 'sim_time',\n"
      "        'all_wheels_on_track', 'is_left_of_center', 'is_reversed', 'is_crashed',\n"
      "        'is_offtrack', 'object_in_camera']\n";
  const auto single = files.Load(
      keys +
      "def reward_function(params):\n"
      "    total = 0.0\n"
      "    for i, key in enumerate(KEYS):\n"
      "        total = total + (i + 1) * float(params[key])\n"
      "    before, after = params['closest_waypoints']\n"
      "    total = total + params['waypoints'][after][0] - params['waypoints'][before][1]\n"
      "    total = total + params['closest_objects'][1]\n"
      "    return total + params['objects_distance'][0]\n");
  const auto batch = files.Load(
      keys +
      "import numpy\n"
      "def reward_batch(params):\n"
      "    total = numpy.zeros(len(params['x']))\n"
      "    for i, key in enumerate(KEYS):\n"
      "        total = total + (i + 1) * params[key].astype(float)\n"
      "    before, after = params['closest_waypoints'].T\n"
      "    total = total + params['waypoints'][after, 0] - params['waypoints'][before, 1]\n"
      "    total = total + params['closest_objects'][:, 1]\n"
      "    return total + numpy.array([d[0] for d in params['objects_distance']])\n");
  REQUIRE(single.ok());
  if (!batch.ok()) FAIL(batch.error().message);
  const std::vector<sim::StepFacts> facts = DifferentFacts(files, 37);
  CHECK(RewardsOf(**batch, facts) == RewardsOf(**single, facts));
  CHECK(RewardsOf(**batch, {facts[5]}) == RewardsOf(**single, {facts[5]}));
}

TEST_CASE("Types and shapes are those of the README") {
  const UserFiles files;
  const auto reward =
      files.Load(BatchOf("assert params['x'].dtype == numpy.float64 and params['x'].shape == (5,)\n"
                         "    assert params['steps'].dtype == numpy.float64\n"
                         "    assert params['is_offtrack'].dtype == numpy.bool_\n"
                         "    assert params['closest_waypoints'].dtype == numpy.int64\n"
                         "    assert params['closest_waypoints'].shape == (5, 2)\n"
                         "    assert params['waypoints'].shape == (33, 2)\n"
                         "    assert len(params['objects_location']) == 5\n"
                         "    assert params['objects_location'][0] == [[0.0, 0.0]]\n"
                         "    assert len(params) == 28\n"
                         "    return params['env_index']"));
  REQUIRE(reward.ok());
  CHECK(RewardsOf(**reward, DifferentFacts(files, 5)) == std::vector<float>{0, 1, 2, 3, 4});
}

TEST_CASE("Extra keys are arrays of their types, too") {
  const UserFiles files;
  const auto reward =
      files.Load(BatchOf("assert params['forward_speed'].dtype == numpy.float64\n"
                         "    assert params['lap_count'].dtype == numpy.int64\n"
                         "    assert params['is_last_step'].dtype == numpy.bool_\n"
                         "    assert list(params)[-1] == 'env_index'\n"
                         "    return (params['forward_speed'] + 10 * params['lap_count']\n"
                         "            + 100 * params['is_last_step'] + params['env_index'])"));
  REQUIRE(reward.ok());
  std::vector<sim::StepFacts> facts = DifferentFacts(files, 3);
  facts[0].car.velocity_body_mps.x = 0.5;
  facts[1].lap_count = 2;
  facts[2].terminated = true;
  CHECK(RewardsOf(**reward, facts) == std::vector<float>{0.5F, 21, 102});
}

TEST_CASE("The batch form wins over reward_function, and keeps its globals") {
  const UserFiles files;
  const auto reward = files.Load(
      "calls = 0\n" + BatchOf("global calls; calls += 1\n    return params['x'] * 0 + calls") +
      FunctionOf("return -7"));
  REQUIRE(reward.ok());
  CHECK(RewardsOf(**reward, DifferentFacts(files, 3)) == std::vector<float>{1, 1, 1});
  CHECK(RewardsOf(**reward, DifferentFacts(files, 3)) == std::vector<float>{2, 2, 2});
}

TEST_CASE("What is done to the arrays reaches no other call") {
  const UserFiles files;
  const auto reward =
      files.Load(BatchOf("result = params['x'].copy()\n    params['x'][:] = 9\n"
                         "    params['waypoints'][:] = 9\n    return result"));
  REQUIRE(reward.ok());
  const auto facts = DifferentFacts(files, 3);
  CHECK(RewardsOf(**reward, facts) == RewardsOf(**reward, facts));
}

TEST_CASE("Arrays and lists that a function keeps stay as they were") {
  const UserFiles files;
  const auto reward = files.Load(
      "import json\nimport numpy\nkept, texts = [], []\n"
      "def text_of(value):\n"
      "    return json.dumps(value, default=lambda array: array.tolist())\n"
      "def reward_batch(params):\n"
      "    kept.append((params['x'], params['is_offtrack'][1:], params['closest_waypoints'][0],\n"
      "                 params['objects_distance'], params['objects_speed'][0]))\n"
      "    params['objects_heading'][1].append(5)\n"
      "    texts.append(text_of(kept[-1]))\n"
      "    assert params['objects_heading'][0] == []\n"
      "    assert len(params['objects_heading'][1]) == 1\n"
      "    return params['x'] * 0 + all(text_of(k) == t for k, t in zip(kept, texts))\n");
  REQUIRE(reward.ok());
  std::vector<sim::StepFacts> facts = DifferentFacts(files, 7);
  for (sim::StepFacts& step : facts) step.num_objects = 0;
  for (int call = 0; call < 3; ++call) {
    CHECK(RewardsOf(**reward, facts) == std::vector<float>(facts.size(), 1.0F));
    std::rotate(facts.begin(), facts.begin() + 1, facts.end());
  }
}

TEST_CASE("Each direction is a call of its own, and faults are not shown") {
  const UserFiles files;
  const auto reward =
      files.Load(BatchOf("assert len(set(params['is_reversed'])) == 1\n    return "
                         "params['env_index'] + 10 * len(params['x'])"));
  REQUIRE(reward.ok());
  std::vector<sim::StepFacts> facts = DifferentFacts(files, 5);
  facts[1].track_index = 1;
  facts[3].reason = sim::EndReason::kFault;
  CHECK(RewardsOf(**reward, facts) == std::vector<float>{30, 11, 32, 0, 34});
}

TEST_CASE("Results that are no array of rewards say what was expected") {
  const UserFiles files;
  const std::string expected = "; expected an array of 1 numbers, one for each car";
  const auto error_of = [&](const std::string& result) {
    return files.CallError(BatchOf("return " + result));
  };
  CHECK(error_of("None") == "reward.py:2: reward_batch returned None" + expected);
  CHECK(error_of("3.0") == "reward.py:2: reward_batch returned a single number" + expected);
  CHECK(error_of("[1.0, 2.0]") == "reward.py:2: reward_batch returned 2 numbers" + expected);
  CHECK(error_of("numpy.zeros((1, 3))") ==
        "reward.py:2: reward_batch returned 1 x 3 numbers" + expected);
  CHECK(error_of("['fast']") == "reward.py:2: reward_batch returned ['fast']" + expected);
  CHECK(error_of("params['no']").starts_with("reward.py:3: KeyError: 'no'"));
  CHECK(files.LoadError("def reward_batch():\n    return 1\n") ==
        "reward.py: reward_batch takes (); expected one argument, params");
}

TEST_CASE("A bad number fails for its car alone, which is named") {
  const UserFiles files;
  const auto reward =
      files.Load(BatchOf("result = params['env_index'] * 1.0\n    result[2] = float('nan')\n"
                         "    result[4] = -2e5\n    return result"));
  REQUIRE(reward.ok());
  std::vector<float> rewards(5, -1.0F);
  RewardFailures failures;
  REQUIRE((*reward)->EvaluateEach(DifferentFacts(files, 5), rewards, failures).ok());
  CHECK(rewards == std::vector<float>{0, 1, 0, 3, 0});
  REQUIRE(failures.list.size() == 2);
  CHECK(failures.list[0].index == 2);
  CHECK(failures.list[0].message.ends_with(
      "reward.py:2: reward_batch returned nan for the car of env_index 2; expected numbers in "
      "-1e5 .. 1e5"));
  CHECK(failures.list[1].message.find("-200000.0 for the car of env_index 4") != std::string::npos);
}

TEST_CASE("An exception in a batch concerns all its cars") {
  const UserFiles files;
  const auto reward = files.Load(BatchOf("raise ValueError('all')"));
  REQUIRE(reward.ok());
  std::vector<float> rewards(4, -1.0F);
  RewardFailures failures;
  REQUIRE((*reward)->EvaluateEach(DifferentFacts(files, 4), rewards, failures).ok());
  CHECK(rewards == std::vector<float>(4));
  CHECK(failures.list.size() == 4);
}

TEST_CASE("Without numpy there is one clear line") {
  const UserFiles files;
  files.Write("numpy.py", "raise ImportError('broken')\n");
  CHECK(files.LoadError("import sys\nsys.modules.pop('numpy', None)\n"
                        "def reward_batch(params):\n    return 1\n") ==
        "reward.py: reward_batch needs numpy: apt install python3-numpy");
}

}  // namespace
}  // namespace lapforge::reward
