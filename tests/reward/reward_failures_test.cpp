// A Python reward that fails for some cars, and what one car's file can do to the others.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/reward/reward_fixture.h"

namespace lapforge::reward {
namespace {

TEST_CASE("To callers of EvaluateEach a failure is data, and the other envs go on") {
  const UserFiles files;
  const auto reward = files.Load(
      "def reward_function(params):\n    if params['x'] in (2, 4):\n        return None\n"
      "    return params['x']\n");
  REQUIRE(reward.ok());
  std::vector<sim::StepFacts> facts = files.Facts(5);
  for (size_t i = 0; i < facts.size(); ++i) facts[i].front_point_m.x = double(i) + 1.0;
  std::vector<float> rewards(5, -1.0F);
  RewardFailures failures;
  REQUIRE((*reward)->EvaluateEach(facts, rewards, failures).ok());
  CHECK(rewards == std::vector<float>{1, 0, 3, 0, 5});
  REQUIRE(failures.list.size() == 2);
  CHECK(failures.list[0].index == 1);
  CHECK(failures.list[1].index == 3);
  CHECK(failures.list[0].message.find("reward.py:1: reward_function returned None") !=
        std::string::npos);

  // a caller that has enough need not wait for more
  RewardFailures first;
  first.enough = 1;
  REQUIRE((*reward)->EvaluateEach(facts, rewards, first).ok());
  CHECK(first.list.size() == 1);
}

TEST_CASE("A file that fails for one car's copy alone fails for that car alone") {
  const UserFiles files;
  const std::string mark = (files.folder() / "mark").string();
  const auto reward = files.Load("import os\nif os.path.exists('" + mark + "'):\n    1 / 0\n" +
                                 FunctionOf("return 1"));
  REQUIRE(reward.ok());
  files.Write("mark", "");
  std::vector<sim::StepFacts> facts = files.Facts(2);
  facts[1].env_index = 1;
  std::vector<float> rewards(2);
  RewardFailures failures;
  REQUIRE((*reward)->EvaluateEach(facts, rewards, failures).ok());
  CHECK(rewards == std::vector<float>{1, 0});
  REQUIRE(failures.list.size() == 1);
  CHECK(failures.list[0].message.find("reward.py:3: ZeroDivisionError") != std::string::npos);
  std::filesystem::remove(mark);
  RewardFailures none;
  REQUIRE((*reward)->EvaluateEach(facts, rewards, none).ok());
  CHECK(rewards == std::vector<float>{1, 1});
  CHECK(none.list.empty());
}

TEST_CASE("A copy of the program that a file makes and lets return ends there") {
  const UserFiles files;
  const auto reward = files.Load("import os\n" + FunctionOf("return os.fork() > 0"));
  REQUIRE(reward.ok());
  std::vector<float> rewards(3);
  REQUIRE((*reward)->Evaluate(files.Facts(3), rewards).ok());
  CHECK(rewards == std::vector<float>{1, 1, 1});
  CHECK(files.Reward(
            "import os\n" +
            FunctionOf("pid = os.fork()\n    return os.waitpid(pid, 0)[1] if pid else 1")) == 0.0F);
}

TEST_CASE("A changed math module is said once, and copies do not change each other's change") {
  const UserFiles files;
  LogCapture log;
  const auto reward = files.Load(
      "import math\nold = math.sqrt\n"
      "math.sqrt = lambda x: 2 * old(x)\n" +
      FunctionOf("return math.sqrt(4)"));
  REQUIRE(reward.ok());
  std::vector<sim::StepFacts> facts = files.Facts(3);
  for (size_t i = 0; i < facts.size(); ++i) facts[i].env_index = int32_t(i);
  std::vector<float> rewards(3);
  REQUIRE((*reward)->Evaluate(facts, rewards).ok());
  CHECK(rewards == std::vector<float>{4, 4, 4});
  REQUIRE(log.lines.size() == 1);
  CHECK(log.lines[0].find(
            "reward.py changes math.sqrt, for all cars alike; write a function of your own") !=
        std::string::npos);

  // and is as it was for the next file
  CHECK(files.Reward("import math\n" + FunctionOf("return math.sqrt(4)")) == 2.0F);
}

}  // namespace
}  // namespace lapforge::reward
