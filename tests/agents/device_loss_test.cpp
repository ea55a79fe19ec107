// Tests that the device's losses, gradients, advantages and Adam are the CPU's, in libtorch.
#include <ATen/ATen.h>

#include <cmath>

#include "agents/algorithms/adam.h"
#include "agents/algorithms/gae.h"
#include "agents/algorithms/ppo_loss.h"
#include "agents/device/device_nets.h"
#include "agents/device/tensor_loss.h"
#include "agents/nets/make_network.h"
#include "tests/agents/agents_fixture.h"
#include "tests/agents/small_environments.h"

namespace lapforge::agents {
namespace {

at::Tensor TensorOf(std::span<const float> values, at::IntArrayRef shape) {
  return at::from_blob(const_cast<float*>(values.data()), shape, at::kFloat).clone();
}

// Largest difference against the largest number.
double RelativeError(std::span<const float> expected, const at::Tensor& actual) {
  const at::Tensor wanted = TensorOf(expected, actual.sizes());
  const double largest = std::max(1e-12, wanted.abs().max().item<double>());
  return (actual - wanted).abs().max().item<double>() / largest;
}

std::vector<float> AroundZero(size_t count, uint64_t seed, float deviation) {
  std::vector<float> numbers = RandomNumbers<float>(count, seed);
  for (float& number : numbers) number *= deviation;
  return numbers;
}

// A minibatch whose ratios lie on both sides of the clip.
struct Minibatch {
  static constexpr int kRows = 200;

  Minibatch(DistributionKind distribution, int outputs)
      : kind(distribution),
        num_outputs(outputs),
        heads(AroundZero(size_t(kRows * outputs), 1, 0.5f)),
        log_std(kind == DistributionKind::kGaussian ? AroundZero(size_t(outputs), 2, 0.3f)
                                                    : std::vector<float>()),
        actions(AroundZero(size_t(kRows * action_dim()), 3, 1)),
        old_log_probs(AroundZero(kRows, 4, 0.3f)),
        advantages(RandomNumbers<float>(kRows, 5)),
        targets(AroundZero(kRows, 6, 2)),
        values(AroundZero(kRows, 7, 2)),
        old_values(AroundZero(kRows, 8, 2)) {
    for (size_t row = 0; row < kRows; ++row) {
      const size_t dim = size_t(action_dim());
      if (kind == DistributionKind::kCategorical) actions[row] = float(row % size_t(outputs));
      const std::span<const float> all(heads);
      old_log_probs[row] +=
          ProbabilityOf<float>(kind, {all.subspan(row * size_t(outputs), size_t(outputs)), log_std,
                                      std::span<const float>(actions).subspan(row * dim, dim)})
              .log_prob;
    }
  }

  int action_dim() const { return kind == DistributionKind::kGaussian ? num_outputs : 1; }

  DistributionKind kind;
  int num_outputs;
  std::vector<float> heads, log_std, actions, old_log_probs, advantages, targets, values,
      old_values;
};

void CheckLoss(const PpoOptions& options, const Minibatch& batch) {
  constexpr int kRows = Minibatch::kRows;
  // by hand
  LossSums sums;
  std::vector<float> head_gradients(batch.heads.size());
  std::vector<float> log_std_gradients(batch.log_std.size());
  std::vector<float> value_gradients(kRows);
  const LossSamples samples = {batch.actions, batch.old_log_probs, batch.advantages,
                               batch.targets, batch.old_values,    kRows,
                               kRows};
  PolicyLoss<float>(options, samples,
                    {batch.kind, batch.heads, batch.log_std, head_gradients, log_std_gradients},
                    sums);
  ValueLossOf<float>(options, samples, batch.values, value_gradients, sums);

  // by autograd
  PolicyTensors policy;
  policy.kind = batch.kind;
  policy.outputs = TensorOf(batch.heads, {kRows, batch.num_outputs}).set_requires_grad(true);
  if (!batch.log_std.empty()) {
    policy.log_std = TensorOf(batch.log_std, {batch.num_outputs}).set_requires_grad(true);
  }
  const at::Tensor values = TensorOf(batch.values, {kRows}).set_requires_grad(true);
  const LossTensors loss =
      PpoLoss(options, 1,
              {TensorOf(batch.actions, {kRows, batch.action_dim()}),
               TensorOf(batch.old_log_probs, {kRows}), TensorOf(batch.advantages, {kRows}),
               TensorOf(batch.targets, {kRows}), TensorOf(batch.old_values, {kRows})},
              {policy, values});
  loss.total.backward();

  const std::array<double, kNumLosses> expected = {sums.policy_loss, sums.value_loss, sums.entropy,
                                                   sums.approx_kl, sums.clip_fraction};
  for (int i = 0; i < kNumLosses; ++i) {
    CAPTURE(i);
    CHECK(loss.losses[i].item<double>() == Approx(expected.at(size_t(i))).epsilon(1e-5));
  }
  CHECK(sums.clip_fraction > 0.2);  // both branches were taken
  CHECK(sums.clip_fraction < 0.8);
  CHECK(RelativeError(head_gradients, policy.outputs.grad()) < 1e-5);
  if (!batch.log_std.empty()) {
    CHECK(RelativeError(log_std_gradients, policy.log_std.grad()) < 1e-5);
  }
  CHECK(RelativeError(value_gradients, values.grad()) < 1e-5);
}

TEST_CASE("losses and their gradients are those of the CPU") {
  PpoOptions options;
  options.entropy_coef = 0.01;
  SECTION("plain") {}
  SECTION("huber") { options.value_loss = ValueLoss::kHuber; }
  SECTION("clipped values") { options.value_clip_range = 0.5; }
  CheckLoss(options, Minibatch(DistributionKind::kGaussian, 2));
  CheckLoss(options, Minibatch(DistributionKind::kCategorical, 7));
}

TEST_CASE("advantages are those of the literal loop") {
  constexpr int kHorizon = 40;
  constexpr int kEnvs = 6;
  constexpr size_t kSamples = size_t{kHorizon} * kEnvs;
  PpoOptions options;
  const std::vector<float> rewards = RandomNumbers<float>(kSamples, 1);
  const std::vector<float> values = RandomNumbers<float>(kSamples + kEnvs, 2);
  const std::vector<float> final_values = RandomNumbers<float>(kSamples, 3);
  std::vector<uint8_t> terminated(kSamples);
  std::vector<uint8_t> truncated(kSamples);
  for (size_t i = 0; i < kSamples; ++i) {
    terminated[i] = i % 11 == 3;
    truncated[i] = i % 7 == 2 && terminated[i] == 0;
  }
  truncated.back() = 1;  // in the last step, too
  std::vector<float> advantages(kSamples);
  std::vector<float> targets(kSamples);
  ComputeGae({kHorizon, kEnvs, rewards, std::span(values).first(kSamples), terminated, truncated,
              final_values, std::span(values).subspan(kSamples)},
             options.discount, options.gae_lambda, advantages, targets);

  const auto flags = [&](std::vector<uint8_t>& of) {
    return at::from_blob(of.data(), {kHorizon, kEnvs}, at::kByte);
  };
  at::Tensor device_advantages = at::zeros({kHorizon, kEnvs});
  at::Tensor device_targets = at::zeros({kHorizon, kEnvs});
  ComputeGaeTensors(
      options,
      {TensorOf(rewards, {kHorizon, kEnvs}), TensorOf(values, {kHorizon + 1, kEnvs}),
       flags(terminated), flags(truncated), TensorOf(final_values, {kHorizon, kEnvs})},
      device_advantages, device_targets);
  CHECK(RelativeError(advantages, device_advantages) < 1e-6);
  CHECK(RelativeError(targets, device_targets) < 1e-6);
}

TEST_CASE("clipped Adam steps are those of the CPU") {
  constexpr size_t kCount = 1000;
  const double max_norm = GENERATE(0.5, 1e9);
  std::vector<float> parameters = RandomNumbers<float>(kCount, 1);
  AdamState state(kCount);
  ThreadPool pool(1);
  DeviceParameters device(parameters, at::kCPU);
  at::Tensor leaf = device.MakeLeaf(device.values());
  at::Tensor has_failed = at::zeros({});
  const at::Tensor rate = at::full({}, 1e-2);
  for (uint64_t step = 0; step < 5; ++step) {
    std::vector<float> gradients = RandomNumbers<float>(kCount, 10 + step);
    const std::array<std::span<float>, 1> parts = {gradients};
    AdamStep({1e-2, 1e-5, SumAndClip(parts, max_norm, pool)}, gradients, parameters, state, pool);
    leaf.mutable_grad().copy_(TensorOf(gradients, {kCount}));
    device.Step(max_norm, 1e-5, rate, has_failed);
  }
  CHECK(RelativeError(parameters, device.values()) < 1e-6);
  const AdamState moments = device.DownloadMoments();
  CHECK(moments.num_steps == 5);
  CHECK(RelativeError(state.mean, TensorOf(moments.mean, {kCount})) < 1e-5);
  // the CPU's 1 - 0.999 is one of float32
  CHECK(RelativeError(state.square, TensorOf(moments.square, {kCount})) < 1e-4);
  CHECK(has_failed.item<float>() == 0);

  // what is no number is not learned from
  leaf.mutable_grad().fill_(NAN);
  device.Step(max_norm, 1e-5, rate, has_failed);
  CHECK(has_failed.item<float>() == 1);
  CHECK(RelativeError(parameters, device.values()) < 1e-6);
}

TEST_CASE("actions come from the same noise as on the CPU") {
  const bool is_gaussian = GENERATE(true, false);
  const DistributionKind kind =
      is_gaussian ? DistributionKind::kGaussian : DistributionKind::kCategorical;
  constexpr int kRows = 300;
  const int num_outputs = is_gaussian ? 2 : 5;
  const std::vector<float> heads = RandomNumbers<float>(size_t(kRows * num_outputs), 1);
  const std::vector<float> log_std = {-0.5f, 0.1f};
  const size_t dim = is_gaussian ? 2 : 1;
  std::vector<float> expected(kRows * dim);
  std::vector<float> noise(kRows * dim);
  for (size_t row = 0; row < kRows; ++row) {
    RngStream random(1, uint32_t(row), 0, RngPurpose::kActionNoise);
    RngStream same = random;
    SampleAction(kind, std::span(heads).subspan(row * size_t(num_outputs), size_t(num_outputs)),
                 log_std, random, std::span(expected).subspan(row * dim, dim));
    for (size_t i = 0; i < dim; ++i) {
      noise[row * dim + i] = static_cast<float>(is_gaussian ? same.Normal() : same.Uniform());
    }
  }
  const at::Tensor actions =
      SampleActions({kind, TensorOf(heads, {kRows, num_outputs}), TensorOf(log_std, {2})},
                    TensorOf(noise, {kRows, int64_t(dim)}));
  CHECK(RelativeError(expected, actions) < 1e-6);
}

// Rows with the sensors of `specs` one after the other, with random bytes as images.
std::vector<std::byte> RandomRows(const sim::ObservationSpec& spec, size_t num_rows) {
  std::vector<std::byte> rows(spec.row_bytes * num_rows);
  RngStream random(9, 0, 0, RngPurpose::kTest);
  for (size_t row = 0; row < num_rows; ++row) {
    for (const sim::SensorSpec& sensor : spec.sensors) {
      const auto part =
          std::span(rows).subspan(row * spec.row_bytes + sensor.offset_bytes, sensor.size_bytes);
      if (sensor.type == sim::ObservationType::kUint8) {
        for (std::byte& pixel : part) pixel = std::byte(random.Below(256));
      } else {
        for (float& number : FloatsOf(part)) number = static_cast<float>(random.Normal());
      }
    }
  }
  return rows;
}

TEST_CASE("nets see their sensors in rows that carry more, and say what the CPU's say") {
  TrainOptions options = CameraOptions();
  options.sim.sensors.kinds = {"camera", "wheel_speed"};
  sim::SensorOptions carried = options.sim.sensors;
  carried.kinds = {"camera", "wheel_speed", "track_state"};
  const sim::ObservationSpec row = sim::ObservationSpecOf(carried);
  sim::SensorOptions privileged = options.sim.sensors;
  privileged.kinds = {"track_state"};
  EnvironmentSpec spec = {16, row, DistributionKind::kGaussian, 2, 2};
  options.net.kind = GENERATE(NetKind::kNano, NetKind::kAuto);
  ActorCritic nets = ValueOf(ActorCritic::Create(
      spec, {sim::ObservationSpecOf(options.sim.sensors), sim::ObservationSpecOf(privileged)},
      options.net, 1));
  for (float& parameter : nets.actor()) parameter += 0.01f;  // the last layer is nearly 0
  DeviceNets device(&nets, spec, at::kCPU);

  std::vector<std::byte> rows = RandomRows(row, 16);
  std::vector<float> values(16);
  nets.Values(rows, values);
  const auto work = nets.actor_network().MakeWorkspace(16);
  nets.actor_view().Gather(rows, work->inputs().first(16 * nets.actor_view().row_bytes()));
  const auto heads = work->Forward(nets.actor_parameters(), 16);

  const at::Tensor tensor = at::from_blob(rows.data(), {16, int64_t(row.row_bytes)}, at::kByte);
  CHECK(RelativeError(heads, device.OutputsOf(tensor).policy.outputs.detach()) < 1e-5);
  CHECK(RelativeError(values, device.ValuesOf(tensor).detach()) < 1e-5);
}

}  // namespace
}  // namespace lapforge::agents
