// Tests that an update which fails leaves nothing of itself behind.
#include "agents/algorithms/ppo.h"

#include <limits>

#include "agents/rollout/collector.h"
#include "tests/agents/agents_fixture.h"
#include "tests/agents/small_environments.h"

namespace lapforge::agents {
namespace {

std::vector<std::byte> StateOf(const Ppo& ppo, const ActorCritic& nets) {
  ByteWriter writer;
  ppo.Save(writer);
  writer.Write(nets.actor());
  writer.Write(nets.critic());
  return writer.Take();
}

TEST_CASE("an update that fails half-way gives back weights and moments") {
  PpoOptions options = SmallOptions().ppo;
  options.minibatch_size = 16;
  PointBandit bandit;
  ThreadPool pool(1);
  ActorCritic nets(bandit.spec(), NetOptions(), 1);
  ObservationNormalizer normalizer(1, false);
  Collector collector(&bandit, &nets, &normalizer, &pool, 1);
  RolloutBuffer buffer(options.horizon, bandit.spec());
  Ppo ppo(options, bandit.spec(), &nets, &pool, 1);
  RequireOk(collector.Collect(buffer));
  ValueOf(ppo.Update(buffer, options.learning_rate));

  // wherever the shuffle puts the bad sample: most of the time sound minibatches come before it
  for (size_t sample = 0; sample < buffer.rewards.size(); sample += kNumSmallEnvs) {
    RequireOk(collector.Collect(buffer));
    buffer.rewards[sample] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::byte> before = StateOf(ppo, nets);
    REQUIRE_FALSE(ppo.Update(buffer, options.learning_rate).ok());
    const bool is_as_before = StateOf(ppo, nets) == before;  // too long to print
    REQUIRE(is_as_before);
  }
}

}  // namespace
}  // namespace lapforge::agents
