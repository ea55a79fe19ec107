// Tests reward scaling against the deviation of returns computed from their definition.
#include "agents/algorithms/return_scale.h"

#include <cmath>

#include "tests/agents/agents_fixture.h"
#include "tests/agents/small_environments.h"

namespace lapforge::agents {
namespace {

constexpr int kHorizon = 40;
constexpr double kDiscount = 0.9;

TEST_CASE("rewards are divided by the deviation of all discounted returns so far") {
  const Corridor corridor(CorridorEnd::kTruncated);
  ReturnScale scale(kNumSmallEnvs);
  std::vector<double> all;
  std::vector<double> running(kNumSmallEnvs);
  for (uint64_t rollout = 0; rollout < 2; ++rollout) {
    RolloutBuffer buffer(kHorizon, corridor.spec());
    buffer.rewards = RandomNumbers<float>(buffer.rewards.size(), rollout);
    for (size_t i = 0; i < buffer.rewards.size(); i += 33) {
      (i % 2 == 0 ? buffer.terminated : buffer.truncated)[i] = 1;
    }
    for (size_t i = 0; i < buffer.rewards.size(); ++i) {
      double& sum = running[i % kNumSmallEnvs];
      sum = kDiscount * sum + double(buffer.rewards[i]);
      all.push_back(sum);
      if (buffer.terminated[i] || buffer.truncated[i]) sum = 0;
    }
    double mean = 0;
    double variance = 0;
    for (const double value : all) mean += value / double(all.size());
    for (const double value : all) variance += std::pow(value - mean, 2) / double(all.size());

    const std::vector<float> before = buffer.rewards;
    scale.ScaleRewards(kDiscount, buffer);
    for (size_t i = 0; i < before.size(); i += 50) {
      CHECK(buffer.rewards[i] == Approx(double(before[i]) / std::sqrt(variance)));
    }
  }
}

TEST_CASE("its state goes into bytes and back") {
  const Corridor corridor(CorridorEnd::kTruncated);
  RolloutBuffer buffer(kHorizon, corridor.spec());
  buffer.rewards = RandomNumbers<float>(buffer.rewards.size(), 1);
  RolloutBuffer same = buffer;
  ReturnScale first(kNumSmallEnvs);
  first.ScaleRewards(kDiscount, buffer);
  ByteWriter writer;
  first.Save(writer);
  const std::vector<std::byte> bytes = writer.Take();

  ReturnScale second(kNumSmallEnvs);
  ByteReader reader(bytes);
  REQUIRE(second.Restore(reader));
  same = buffer;
  first.ScaleRewards(kDiscount, buffer);
  second.ScaleRewards(kDiscount, same);
  CHECK(buffer.rewards == same.rewards);
  ByteReader other(bytes);
  CHECK_FALSE(ReturnScale(kNumSmallEnvs + 1).Restore(other));
}

}  // namespace
}  // namespace lapforge::agents
