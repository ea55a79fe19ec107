// Tests what a rollout holds: rows in order, and the value of what came after each end.
#include "agents/rollout/collector.h"

#include <cmath>
#include <set>

#include "tests/agents/agents_fixture.h"
#include "tests/agents/small_environments.h"

namespace lapforge::agents {
namespace {

constexpr int kHorizon = 25;

TEST_CASE("a rollout holds what was seen, and the value of each final observation") {
  Corridor corridor(CorridorEnd::kTruncated);
  ThreadPool pool(2);
  ActorCritic nets = NetsFor(corridor.spec(), NetOptions(), 3);
  ObservationNormalizer normalizer(1, false);
  Collector collector(&corridor, &nets, &normalizer, &pool, 3);
  RolloutBuffer buffer(kHorizon, corridor.spec());
  CHECK(ValueOf(collector.Collect(buffer)));

  // the critic at 0, 0.1, ... 1
  std::vector<float> places(Corridor::kNumSteps + 1);
  for (size_t i = 0; i < places.size(); ++i) places[i] = float(i) / Corridor::kNumSteps;
  std::vector<float> values(places.size());
  nets.Values(std::as_bytes(std::span(places)), values);
  REQUIRE(std::abs(values.front() - values.back()) > 0.01f);

  const auto near = [](float value) { return Approx(value).epsilon(1e-4).margin(1e-5); };
  for (size_t step = 0; step <= size_t(kHorizon); ++step) {
    const size_t place = step % Corridor::kNumSteps;
    for (size_t env = 0; env < size_t(kNumSmallEnvs); ++env) {
      const size_t sample = step * kNumSmallEnvs + env;
      REQUIRE(FloatsOf(buffer.observations)[sample] == places[place]);
      REQUIRE(buffer.values[sample] == near(values[place]));
      if (step == size_t(kHorizon)) continue;
      REQUIRE(buffer.truncated[sample] == (place == Corridor::kNumSteps - 1));
      if (buffer.truncated[sample]) REQUIRE(buffer.final_values[sample] == near(values.back()));

      // a net that knows nothing yet chooses evenly
      REQUIRE(buffer.log_probs[sample] == Approx(std::log(0.5)).margin(0.02));
    }
  }
}

TEST_CASE("each env and step has noise of its own") {
  PointBandit bandit;
  ThreadPool pool(1);
  ActorCritic nets = NetsFor(bandit.spec(), NetOptions(), 3);
  ObservationNormalizer normalizer(1, false);
  Collector collector(&bandit, &nets, &normalizer, &pool, 3);
  RolloutBuffer buffer(kHorizon, bandit.spec());
  std::set<float> seen;
  for (int i = 0; i < 2; ++i) {
    CHECK(ValueOf(collector.Collect(buffer)));
    seen.insert(buffer.actions.begin(), buffer.actions.end());
  }

  // a few of the many floats between -1 and 1 may meet by chance
  CHECK(double(seen.size()) > 0.99 * 2 * double(buffer.actions.size()));
}

TEST_CASE("a rollout is scaled by the statistics of those before it") {
  Corridor corridor(CorridorEnd::kTerminated);
  ThreadPool pool(1);
  ActorCritic nets = NetsFor(corridor.spec(), NetOptions(), 3);
  ObservationNormalizer normalizer(1, true);
  Collector collector(&corridor, &nets, &normalizer, &pool, 3);
  RolloutBuffer buffer(2 * Corridor::kNumSteps, corridor.spec());
  CHECK(ValueOf(collector.Collect(buffer)));
  CHECK(FloatsOf(buffer.observations)[size_t(kNumSmallEnvs)] == 0.1f);

  // 0, 0.1 ... 0.9: mean 0.45, variance 0.0825
  CHECK(ValueOf(collector.Collect(buffer)));
  CHECK(FloatsOf(buffer.observations)[0] == Approx(-0.45 / std::sqrt(0.0825)));
  CHECK(FloatsOf(buffer.observations)[size_t(kNumSmallEnvs)] == Approx(-0.35 / std::sqrt(0.0825)));
}

}  // namespace
}  // namespace lapforge::agents
