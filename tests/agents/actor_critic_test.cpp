// Tests policy and value with a trunk each and with one for both: what is shared when, the slopes
// of both heads, what drives, what is kept of old parameters.
#include "agents/nets/actor_critic.h"

#include <cmath>

#include "agents/nets/actor_critic_work.h"
#include "agents/nets/policy_tensors.h"
#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

constexpr int kNumEnvs = 6;

EnvironmentSpec SpecOf(std::vector<std::string> kinds) {
  sim::SensorOptions sensors;
  sensors.kinds = std::move(kinds);
  sensors.camera.width_px = 32;
  sensors.camera.height_px = 24;
  return {kNumEnvs, sim::ObservationSpecOf(sensors), DistributionKind::kGaussian, 2, 2};
}

ActorCritic NetsOf(const EnvironmentSpec& spec, const NetOptions& options = {}) {
  return ValueOf(ActorCritic::Create(spec, {spec.row, spec.row}, options, 1));
}

std::vector<std::byte> RandomRows(const EnvironmentSpec& spec) {
  std::vector<std::byte> rows(size_t(kNumEnvs) * spec.row.row_bytes);
  RngStream random(2, 0, 0, RngPurpose::kTest);
  for (std::byte& value : rows) value = std::byte(random.Below(256));
  return rows;
}

TEST_CASE("a trunk is shared by what sees the same images, unless asked otherwise") {
  const EnvironmentSpec camera = SpecOf({"camera"});
  const ActorCritic shared = NetsOf(camera);
  CHECK(shared.has_shared_trunk());
  CHECK(shared.critic().empty());
  CHECK(shared.actor_network().num_outputs() == 3);
  CHECK(shared.driving_network().num_outputs() == 2);
  CHECK_FALSE(NetsOf(SpecOf({"track_state"})).has_shared_trunk());
  NetOptions options;
  options.shared_trunk = false;
  CHECK_FALSE(NetsOf(camera, options).has_shared_trunk());

  // a critic that sees other things than the actor
  EnvironmentSpec both = SpecOf({"camera", "track_state"});
  const SeenRows rows = {camera.row, SpecOf({"track_state"}).row};
  CHECK_FALSE(ValueOf(ActorCritic::Create(both, rows, {}, 1)).has_shared_trunk());
}

TEST_CASE("of a shared output layer, the policy's rows start small and the value's does not") {
  NetOptions options;
  options.last_layer_gain = 0.01;
  const ActorCritic nets = NetsOf(SpecOf({"camera"}), options);
  const std::vector<ParameterTensor> tensors = nets.actor_network().tensors();
  const ParameterTensor& output = tensors[tensors.size() - 2];
  REQUIRE(output.shape[0] == 3);
  const size_t row_size = size_t(output.shape[1]);
  for (size_t row = 0; row < 3; ++row) {
    double squares = 0;
    for (size_t i = 0; i < row_size; ++i) {
      squares += std::pow(nets.actor()[output.offset + row * row_size + i], 2);
    }
    CHECK(std::sqrt(squares) == Approx(row < 2 ? 0.01 : 1).epsilon(1e-4));
  }
}

TEST_CASE("what drives is the policy's part of the shared net") {
  const EnvironmentSpec spec = SpecOf({"camera"});
  ActorCritic nets = NetsOf(spec);
  const std::vector<std::byte> rows = RandomRows(spec);
  ActorCriticWork work(nets, kNumEnvs);
  work.Gather(nets, rows, 0);
  const auto heads = work.Forward(nets, kNumEnvs);
  ObservationNormalizer normalizer(0, false);
  const auto driver = MakePolicyDriver(DistributionKind::kGaussian, &nets, &normalizer);
  const auto check = [&](std::span<const float> policy) {
    std::vector<float> means(policy.size());
    driver->Outputs(rows, means);
    for (size_t i = 0; i < means.size(); ++i) {
      CHECK(means[i] == Approx(policy[i]).epsilon(1e-4).margin(1e-6));
    }
  };
  check(heads.policy);

  // and of the newest parameters
  for (float& number : nets.actor()) number *= 1.1f;
  nets.ParametersChanged();
  check(work.Forward(nets, kNumEnvs).policy);

  // values alone, more than fit at once
  std::vector<std::byte> twice = rows;
  twice.insert(twice.end(), rows.begin(), rows.end());
  std::vector<float> values(2 * kNumEnvs);
  nets.Values(twice, values);
  const auto newest = work.Forward(nets, kNumEnvs).values;
  for (size_t i = 0; i < values.size(); ++i) {
    CHECK(values[i] == Approx(newest[i % kNumEnvs]).epsilon(1e-4));
  }
}

// d loss / d parameters of a weighted sum of all heads, against differences along some directions.
TEST_CASE("slopes of both heads equal differences") {
  const EnvironmentSpec spec = SpecOf({"camera", "wheel_speed"});
  NetOptions options;
  options.last_layer_gain = 1;
  options.shared_trunk = GENERATE(true, false);
  ActorCritic nets = NetsOf(spec, options);
  CHECK(nets.has_shared_trunk() == options.shared_trunk);
  std::vector<std::byte> rows = RandomRows(spec);
  const size_t row_bytes = spec.row.row_bytes;
  for (size_t row = 0; row < kNumEnvs; ++row) {
    for (float& number :
         FloatsOf(std::span(rows).subspan(row * row_bytes + 32 * 24, row_bytes - 32 * 24))) {
      number = 0.3f;
    }
  }
  ActorCriticWork work(nets, kNumEnvs);
  work.Gather(nets, rows, 0);
  const std::vector<float> policy_weights = RandomNumbers<float>(2 * kNumEnvs, 3);
  const std::vector<float> value_weights = RandomNumbers<float>(kNumEnvs, 4);
  const auto loss = [&] {
    const auto heads = work.Forward(nets, kNumEnvs);
    double sum = 0;
    for (size_t i = 0; i < heads.policy.size(); ++i) sum += heads.policy[i] * policy_weights[i];
    for (size_t i = 0; i < heads.values.size(); ++i) sum += heads.values[i] * value_weights[i];
    return sum;
  };
  loss();
  const size_t net_size = nets.actor_network().num_parameters();
  std::vector<float> actor(net_size, 77);
  std::vector<float> critic(nets.critic().size(), 77);
  work.Backward(nets, {policy_weights, value_weights}, kNumEnvs, {actor, critic});

  const auto check = [&](std::vector<float>& parameters, std::span<const float> slopes) {
    for (uint64_t seed = 10; seed < 14 && !slopes.empty(); ++seed) {
      const std::vector<float> direction = RandomNumbers<float>(slopes.size(), seed);
      const std::vector<float> middle = parameters;
      double expected = 0;
      for (size_t i = 0; i < slopes.size(); ++i) expected += double(slopes[i]) * direction[i];
      constexpr float kStep = 3e-5f;
      const auto loss_at = [&](float step) {
        for (size_t i = 0; i < slopes.size(); ++i) parameters[i] = middle[i] + step * direction[i];
        nets.ParametersChanged();
        return loss();
      };
      const double difference = (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep);
      CHECK(difference == Approx(expected).epsilon(0.02).margin(0.1));
      parameters = middle;
      nets.ParametersChanged();
    }
  };
  check(nets.actor(), actor);
  check(nets.critic(), critic);
}

TEST_CASE("nothing is kept of old parameters") {
  const EnvironmentSpec spec = SpecOf({"camera"});
  NetOptions options;
  options.precision = GENERATE(NetPrecision::kFloat32, NetPrecision::kBfloat16);
  ActorCritic nets = NetsOf(spec, options);
  const std::vector<std::byte> rows = RandomRows(spec);
  ActorCriticWork used(nets, kNumEnvs);
  used.Gather(nets, rows, 0);
  used.Forward(nets, kNumEnvs);
  for (float& number : nets.actor()) number *= 1.5f;
  nets.ParametersChanged();
  ActorCriticWork fresh(nets, kNumEnvs);
  fresh.Gather(nets, rows, 0);
  const auto expected = fresh.Forward(nets, kNumEnvs);
  const auto actual = used.Forward(nets, kNumEnvs);
  CHECK(std::ranges::equal(actual.policy, expected.policy));
  CHECK(std::ranges::equal(actual.values, expected.values));
}

}  // namespace
}  // namespace lapforge::agents
