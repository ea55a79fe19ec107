// Tests advantage estimation against the paper's sum, and numbers worked out by hand.
#include "agents/algorithms/gae.h"

#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

struct Rollout {
  int horizon = 0;
  int num_envs = 0;
  std::vector<float> rewards;
  std::vector<float> values;
  std::vector<uint8_t> terminated;
  std::vector<uint8_t> truncated;
  std::vector<float> final_values;
  std::vector<float> last_values;
  std::vector<float> advantages = std::vector<float>(rewards.size());
  std::vector<float> targets = std::vector<float>(rewards.size());

  void Compute(double discount, double gae_lambda) {
    ComputeGae(
        {horizon, num_envs, rewards, values, terminated, truncated, final_values, last_values},
        discount, gae_lambda, advantages, targets);
  }
};

// Equation 16 as it stands: the discounted sum of all errors from `start` to the episode's end.
double AdvantageOf(const Rollout& rollout, int env, int start, double discount, double lambda) {
  const auto index = [&](int step) { return size_t(step * rollout.num_envs + env); };
  double sum = 0;
  double weight = 1;
  for (int step = start; step < rollout.horizon; ++step) {
    const size_t at = index(step);
    const bool has_ended = rollout.terminated[at] != 0 || rollout.truncated[at] != 0;
    double next_value = step + 1 < rollout.horizon ? double(rollout.values[index(step + 1)])
                                                   : double(rollout.last_values[size_t(env)]);
    if (rollout.truncated[at] != 0) next_value = rollout.final_values[at];
    if (rollout.terminated[at] != 0) next_value = 0;
    sum += weight * (rollout.rewards[at] + discount * next_value - rollout.values[at]);
    weight *= discount * lambda;
    if (has_ended) break;
  }
  return sum;
}

Rollout RandomRollout(uint64_t seed) {
  RngStream random(seed, 1, 0, RngPurpose::kTest);
  const int horizon = 1 + int(random.Below(40));
  const int num_envs = 1 + int(random.Below(5));
  const size_t size = size_t(horizon * num_envs);
  Rollout rollout{horizon,
                  num_envs,
                  RandomNumbers<float>(size, seed + 1000),
                  RandomNumbers<float>(size, seed + 2000),
                  std::vector<uint8_t>(size),
                  std::vector<uint8_t>(size),
                  RandomNumbers<float>(size, seed + 3000),
                  RandomNumbers<float>(size_t(num_envs), seed + 4000)};
  for (size_t i = 0; i < size; ++i) {
    rollout.terminated[i] = random.Below(8) == 0;
    rollout.truncated[i] = rollout.terminated[i] == 0 && random.Below(8) == 0;
  }
  return rollout;
}

TEST_CASE("advantages equal the paper's sum over random rollouts") {
  const double discount = GENERATE(0.0, 0.9, 0.99, 1.0);
  const double lambda = GENERATE(0.0, 0.5, 0.95, 1.0);
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Rollout rollout = RandomRollout(seed);
    rollout.Compute(discount, lambda);
    for (int step = 0; step < rollout.horizon; ++step) {
      for (int env = 0; env < rollout.num_envs; ++env) {
        const size_t at = size_t(step * rollout.num_envs + env);
        const double expected = AdvantageOf(rollout, env, step, discount, lambda);
        REQUIRE(rollout.advantages[at] == Approx(expected).epsilon(1e-5).margin(1e-5));
        REQUIRE(rollout.targets[at] ==
                Approx(expected + rollout.values[at]).epsilon(1e-5).margin(1e-5));
      }
    }
  }
}

TEST_CASE("three steps by hand") {
  Rollout rollout{3, 1, {1, 2, 3}, {10, 20, 30}, {0, 0, 0}, {0, 0, 0}, {-1, 8, -1}, {40}};

  SECTION("going on: errors 1, -3, -7") {
    rollout.Compute(0.5, 0.5);
    CHECK(rollout.advantages == std::vector<float>{-0.1875f, -4.75f, -7});
    CHECK(rollout.targets == std::vector<float>{9.8125f, 15.25f, 23});
  }
  SECTION("truncated: the second step goes on with its final value, 8") {
    rollout.truncated[1] = 1;
    rollout.Compute(0.5, 0.5);
    CHECK(rollout.advantages == std::vector<float>{-2.5f, -14, -7});
  }
  SECTION("terminated: nothing comes after the second step") {
    rollout.terminated[1] = 1;
    rollout.Compute(0.5, 0.5);
    CHECK(rollout.advantages == std::vector<float>{-3.5f, -18, -7});
  }
}

}  // namespace
}  // namespace lapforge::agents
