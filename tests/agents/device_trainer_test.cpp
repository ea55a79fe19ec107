// Tests PPO on a device with the CPU in its place: the same rollouts and nets as the host's
// learner, exact saving, clean laps, and clear errors.
#include <cmath>
#include <iostream>

#include "agents/device/device_engine.h"
#include "agents/evaluation.h"
#include "agents/rollout/sim_environment.h"
#include "sim/cuda/cuda_observer.h"
#include "tests/agents/agents_fixture.h"
#include "tests/agents/small_environments.h"

namespace lapforge::agents {
namespace {

TrainOptions OnTwin(TrainOptions options) {
  options.net.device = NetDevice::kCudaTwin;
  return options;
}

// Of all parameters of the policy, against the largest one.
double PolicyDifference(const Trainer& a, const Trainer& b) {
  double difference = 0;
  double largest = 0;
  const Policy one = a.policy();
  const Policy other = b.policy();
  REQUIRE(one.tensors.size() == other.tensors.size());
  for (size_t i = 0; i < one.tensors.size(); ++i) {
    for (size_t k = 0; k < one.tensors[i].values.size(); ++k) {
      const double x = one.tensors[i].values[k];
      largest = std::max(largest, std::abs(x));
      difference = std::max(difference, std::abs(x - other.tensors[i].values[k]));
    }
  }
  return difference / largest;
}

TrainOptions NormalizedOptions() {
  TrainOptions options = SmallOptions();
  options.net.normalize_observations = true;
  options.ppo.normalize_returns = true;
  options.ppo.target_kl = 0.01;
  options.ppo.minibatch_size = 50;  // does not divide the 256 samples
  return options;
}

// One net for policy and value.
TrainOptions SharedTrunk() {
  TrainOptions options = CameraOptions();
  options.net.critic_sees_state = false;
  return options;
}

TrainOptions WarmUp() {
  TrainOptions options = SmallOptions();
  options.ppo.critic_warm_up_iterations = 1;
  return options;
}

TrainOptions ShortEpisodes() {
  TrainOptions options = SmallOptions();
  options.sim.episode.max_steps = 7;  // truncated, in every rollout
  return options;
}

TEST_CASE("an iteration on the device gives the host's nets") {
  const TrainOptions options = GENERATE(SmallOptions(), DiscreteOptions(), NormalizedOptions(),
                                        ShortEpisodes(), CameraOptions(), SharedTrunk(), WarmUp());
  OvalTraining host(options);
  OvalTraining device(OnTwin(options));
  CHECK(device.trainer->ParameterHash() == host.trainer->ParameterHash());
  const IterationStats expected = *ValueOf(host.trainer->RunIteration());
  const IterationStats stats = *ValueOf(device.trainer->RunIteration());
  CHECK(stats.policy_loss == Approx(expected.policy_loss).epsilon(1e-2).margin(1e-5));
  CHECK(stats.value_loss == Approx(expected.value_loss).epsilon(1e-3));
  CHECK(stats.entropy == Approx(expected.entropy).epsilon(1e-4));
  CHECK(stats.approx_kl == Approx(expected.approx_kl).epsilon(1e-2).margin(1e-6));
  CHECK(stats.explained_variance == Approx(expected.explained_variance).epsilon(1e-3).margin(1e-4));
  CHECK(stats.num_episodes == expected.num_episodes);
  CHECK(stats.new_env_steps == expected.new_env_steps);
  CHECK(PolicyDifference(*device.trainer, *host.trainer) < 2e-4);
}

TEST_CASE("a device's learner saves and restores to the bit") {
  const TrainOptions options =
      OnTwin(GENERATE(NormalizedOptions(), CameraOptions(), SharedTrunk(), WarmUp()));
  OvalTraining whole(options);
  whole.Iterate(5);
  OvalTraining first(options);
  first.Iterate(2);
  OvalTraining second(options);
  second.Iterate(1);
  RequireOk(second.trainer->Restore(first.trainer->Save()));
  CHECK((second.trainer->Save() == first.trainer->Save()));
  second.Iterate(3);
  CHECK((second.trainer->Save() == whole.trainer->Save()));
  CHECK(second.trainer->ParameterHash() == whole.trainer->ParameterHash());
}

TEST_CASE("a state goes from the host's learner to the device's and back") {
  OvalTraining host(SmallOptions());
  host.Iterate(2);
  OvalTraining device(OnTwin(SmallOptions()));
  RequireOk(device.trainer->Restore(host.trainer->Save()));
  CHECK((device.trainer->Save() == host.trainer->Save()));
}

// A world whose cars are all stepped at once.
class InOnePart : public Environment {
 public:
  explicit InOnePart(std::unique_ptr<Environment> inner) : inner_(std::move(inner)) {}
  const EnvironmentSpec& spec() const override { return inner_->spec(); }
  void Reset(std::span<std::byte> observations) override { inner_->Reset(observations); }
  Result<void> Step(const EnvironmentStep& step) override { return inner_->Step(step); }
  EpisodeStats TakeEpisodeStats() override { return inner_->TakeEpisodeStats(); }
  std::vector<std::byte> Save() const override { return inner_->Save(); }
  Result<void> Restore(std::span<const std::byte> bytes) override { return inner_->Restore(bytes); }

 private:
  std::unique_ptr<Environment> inner_;
};

TEST_CASE("two halves that take turns do what all cars at once do") {
  TrainOptions options = OnTwin(ShortEpisodes());
  OvalTraining halves(options);
  OvalTraining whole(options);
  const auto world = [](OvalTraining& training) {
    return MakeSimEnvironment(training.sim.get(), training.reward.get(), 1);
  };
  CHECK(world(halves)->Parts().size() == 2);
  const auto in_halves = ValueOf(Trainer::Create(options, world(halves), &halves.pool));
  const auto at_once =
      ValueOf(Trainer::Create(options, std::make_unique<InOnePart>(world(whole)), &whole.pool));
  const IterationStats stats = *ValueOf(in_halves->RunIteration());
  const IterationStats expected = *ValueOf(at_once->RunIteration());
  CHECK(stats.num_episodes == expected.num_episodes);
  CHECK(stats.episode_return == Approx(expected.episode_return).epsilon(1e-6));
  CHECK(PolicyDifference(*in_halves, *at_once) < 1e-5);  // products of other shapes
}

// A learner on the twin whose cameras are drawn by the twin, too.
struct DrawnTraining {
  explicit DrawnTraining(const TrainOptions& options)
      : pool(1),
        sim(ValueOf(sim::VectorSim::Create(
            TrainerSimOptions(options), ValueOf(sim::LoadCar(options.sim.car)), {Oval()}, &pool))),
        reward(reward::MakeNativeReward(options.reward.native)) {
    RequireOk(sim::UseCudaEyes(sim::CudaPlugin::Twin(), *sim));
    trainer = ValueOf(Trainer::Create(options, sim.get(), reward.get(), &pool));
  }

  ThreadPool pool;
  std::unique_ptr<sim::VectorSim> sim;
  std::unique_ptr<reward::RewardFunction> reward;
  std::unique_ptr<Trainer> trainer;
};

TEST_CASE("images that are drawn on the device teach what those of the host teach") {
  TrainOptions options = OnTwin(CameraOptions());
  options.sim.episode.max_steps = 5;  // final images come from the host
  OvalTraining sent(options);
  DrawnTraining drawn(options);
  for (int i = 0; i < 2; ++i) {
    sent.Iterate(1);
    ValueOf(drawn.trainer->RunIteration());
    CHECK(drawn.trainer->ParameterHash() == sent.trainer->ParameterHash());
    CHECK((drawn.trainer->Save() == sent.trainer->Save()));
  }
  // and what is saved goes on
  DrawnTraining other(options);
  RequireOk(other.trainer->Restore(sent.trainer->Save()));
  ValueOf(other.trainer->RunIteration());
  sent.Iterate(1);
  CHECK((other.trainer->Save() == sent.trainer->Save()));
}

TEST_CASE("threads do not change what a device learns") {
  OvalTraining one(OnTwin(SmallOptions()), 1);
  OvalTraining two(OnTwin(SmallOptions()), 2);
  one.Iterate(3);
  two.Iterate(3);
  CHECK((one.trainer->Save() == two.trainer->Save()));
}

TEST_CASE("a stop inside an iteration on a device leaves no trace") {
  OvalTraining training(OnTwin(NormalizedOptions()));
  training.Iterate(1);
  const std::vector<std::byte> before = training.trainer->Save();
  for (const int stop_at : {0, 1, 15, 16, 20}) {
    int num_asked = 0;
    CHECK_FALSE(ValueOf(training.trainer->RunIteration([&] {
                  return num_asked++ == stop_at;
                })).has_value());
    CHECK((training.trainer->Save() == before));
  }
}

TEST_CASE("a reward that is not a number spoils nothing on a device") {
  bool pays_nan = false;
  ThreadPool pool(1);
  const auto trainer = ValueOf(
      Trainer::Create(OnTwin(SmallOptions()), std::make_unique<PointBandit>(&pays_nan), &pool));
  ValueOf(trainer->RunIteration());
  const std::vector<std::byte> before = trainer->Save();
  pays_nan = true;
  const auto failed = trainer->RunIteration();
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message.find("finite") != std::string::npos);
  CHECK(trainer->has_diverged());
  CHECK((trainer->Save() == before));
}

TEST_CASE("bfloat16 on a device learns from a camera with float32 parameters") {
  TrainOptions options = OnTwin(CameraOptions());
  options.net.precision = NetPrecision::kBfloat16;
  OvalTraining narrow(options);
  options.net.precision = NetPrecision::kFloat32;
  OvalTraining wide(options);
  narrow.Iterate(1);
  wide.Iterate(1);
  const double difference = PolicyDifference(*narrow.trainer, *wide.trainer);
  CHECK(difference > 0);
  CHECK(difference < 0.05);
}

TEST_CASE("default options on a device drive three clean laps of the oval within 40000 steps") {
  TrainOptions options;
  options.run.track = "oval";
  OvalTraining training(OnTwin(options), 2);
  const auto evaluator =
      ValueOf(Evaluator::Create(options.sim, training.sim->car(), {Oval()},
                                {.num_trials = options.run.evaluation_laps}, &training.pool));
  bool is_clean = false;
  while (!is_clean && training.trainer->env_steps() + 4096 <= 40000) {
    training.Iterate(1);
    is_clean = evaluator->Run(training.trainer->driver()).num_clean() == 3;
  }
  CHECK(is_clean);
}

TEST_CASE("a GPU learns, or one line says why it cannot") {
  TrainOptions options = SmallOptions();
  options.net.device = NetDevice::kCuda;
  ThreadPool pool(1);
  const auto made = Trainer::Create(options, std::make_unique<PointBandit>(), &pool);
  if (!made.ok()) {
    std::cout << "SKIPPED: " << made.error().message << '\n';
    CHECK(made.error().message.find("net.device cuda: ") == 0);
    CHECK(made.error().message.find('\n') == std::string::npos);
    return;
  }
  OvalTraining host(SmallOptions());
  OvalTraining device(options);
  host.Iterate(1);
  device.Iterate(1);
  CHECK(PolicyDifference(*device.trainer, *host.trainer) < 1e-3);
  device.Iterate(5);  // by graphs
}

}  // namespace
}  // namespace lapforge::agents
