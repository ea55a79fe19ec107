// Tests the trainer: the same bits at any number of threads and across saving, and bad rewards.
#include "agents/trainer.h"

#include <cmath>

#include "tests/agents/agents_fixture.h"
#include "tests/agents/small_environments.h"

namespace lapforge::agents {
namespace {

TrainOptions OptionsOf(bool normalize_observations) {
  TrainOptions options = SmallOptions();
  options.net.normalize_observations = normalize_observations;
  return options;
}

// Everything that adapts while it learns.
TrainOptions AdaptiveOptions() {
  TrainOptions options = SmallOptions();
  options.ppo.normalize_returns = true;
  options.ppo.target_kl = 0.01;
  return options;
}

std::string RestoreError(Trainer& trainer, std::span<const std::byte> bytes) {
  const Result<void> restored = trainer.Restore(bytes);
  REQUIRE_FALSE(restored.ok());
  CHECK(restored.error().message.find('\n') == std::string::npos);
  return restored.error().message;
}

TEST_CASE("any number of threads gives the same bits") {
  TrainOptions options = GENERATE(OptionsOf(false), OptionsOf(true), DiscreteOptions(),
                                  CameraOptions(), SharedTrunkOptions());
  options.ppo.minibatch_size = 50;  // does not divide the 256 samples, nor even halves
  OvalTraining one(options, 1);
  one.Iterate(5);
  for (const int num_threads : {2, 4}) {
    OvalTraining many(options, num_threads);
    many.Iterate(5);
    CHECK(many.trainer->ParameterHash() == one.trainer->ParameterHash());
    CHECK((many.trainer->Save() == one.trainer->Save()));
  }
}

TEST_CASE("seeds give different nets") {
  TrainOptions options = SmallOptions();
  OvalTraining first(options);
  options.seed = 2;
  OvalTraining second(options);
  CHECK(first.trainer->ParameterHash() != second.trainer->ParameterHash());
}

TEST_CASE("steps, iterations and the learning rate are counted") {
  TrainOptions options = SmallOptions();
  options.run.total_env_steps = 1024;
  OvalTraining training(options);
  for (int i = 1; i <= 5; ++i) {
    const IterationStats stats = ValueOf(training.trainer->RunIteration()).value();
    CHECK(stats.iteration == i);
    CHECK(stats.env_steps == 256 * i);
    CHECK(stats.new_env_steps == 256);

    // from 1e-3 down to 5 % of it in four iterations, then level
    CHECK(stats.learning_rate == Approx(1e-3 * (1 - 0.95 * std::min(i - 1, 4) / 4.0)));
  }
}

TEST_CASE("the learning rate follows the policy's change") {
  TrainOptions options = SmallOptions();
  options.ppo.schedule = LearningRateSchedule::kConstant;
  options.ppo.target_kl = 1e-9;  // every change is too much
  OvalTraining falling(options);
  options.ppo.target_kl = 99;  // none is
  OvalTraining rising(options);
  for (int i = 0; i < 4; ++i) {
    const double steps = std::pow(1.5, i);
    CHECK(ValueOf(falling.trainer->RunIteration())->learning_rate == Approx(1e-3 / steps));
    CHECK(ValueOf(rising.trainer->RunIteration())->learning_rate == Approx(1e-3 * steps));
  }
}

TEST_CASE("a policy that sees by camera learns with a critic that sees the track state") {
  TrainOptions options = CameraOptions();
  const auto kinds = [](const sim::SimOptions& sim) { return sim.sensors.kinds; };
  using Kinds = std::vector<std::string>;
  CHECK(kinds(TrainerSimOptions(options)) == Kinds{"camera", "wheel_speed", "track_state"});
  OvalTraining training(options);
  training.Iterate(1);
  const Policy policy = training.trainer->policy();
  CHECK(policy.sensors.kinds == Kinds{"camera", "wheel_speed"});
  CHECK(policy.net_kind == NetKind::kNano);

  options.net.critic_sees_state = false;
  CHECK(kinds(TrainerSimOptions(options)) == Kinds{"camera", "wheel_speed"});
  OvalTraining alone(options);
  alone.Iterate(1);
  CHECK(alone.trainer->ParameterHash() != training.trainer->ParameterHash());
  CHECK(alone.trainer->policy().tensors.size() == policy.tensors.size());
  options.net.shared_trunk = false;
  OvalTraining apart(options);
  apart.Iterate(1);
  CHECK(apart.trainer->ParameterHash() != alone.trainer->ParameterHash());
  const auto restored = apart.trainer->Restore(alone.trainer->Save());
  CHECK_THAT(restored.error().message, Catch::Contains("net.shared_trunk"));
  options.sim.sensors.kinds = {"track_state"};
  options.net.critic_sees_state = true;
  CHECK(kinds(TrainerSimOptions(options)) == Kinds{"track_state"});
}

TEST_CASE("a restored trainer continues to the same bits") {
  const TrainOptions options = GENERATE(OptionsOf(false), OptionsOf(true), DiscreteOptions(),
                                        CameraOptions(), SharedTrunkOptions(), AdaptiveOptions());
  OvalTraining uninterrupted(options);
  uninterrupted.Iterate(3);
  const std::vector<std::byte> saved = uninterrupted.trainer->Save();
  uninterrupted.Iterate(3);

  OvalTraining restored(options, 2);
  restored.Iterate(1);  // whatever it did before is forgotten
  RequireOk(restored.trainer->Restore(saved));
  CHECK((restored.trainer->Save() == saved));
  CHECK(restored.trainer->iteration() == 3);
  CHECK(restored.trainer->env_steps() == 3 * options.ppo.horizon * options.sim.num_envs);
  restored.Iterate(3);
  CHECK(restored.trainer->ParameterHash() == uninterrupted.trainer->ParameterHash());
  CHECK((restored.trainer->Save() == uninterrupted.trainer->Save()));
}

TEST_CASE("bytes that do not fit are refused and change nothing") {
  const TrainOptions options = OptionsOf(true);
  OvalTraining other(options);
  other.Iterate(2);
  std::vector<std::byte> saved = other.trainer->Save();

  OvalTraining training(options);
  training.Iterate(1);
  const std::vector<std::byte> before = training.trainer->Save();
  for (size_t size = 0; size < saved.size(); size += 97) {
    RestoreError(*training.trainer, std::span(saved).first(size));
    REQUIRE((training.trainer->Save() == before));
  }
  RestoreError(*training.trainer, std::span(saved).first(saved.size() - 1));
  saved.push_back(std::byte{0});
  RestoreError(*training.trainer, saved);
  saved.pop_back();
  saved[0] = std::byte{9};
  CHECK(RestoreError(*training.trainer, saved).find("format 9") != std::string::npos);
  CHECK((training.trainer->Save() == before));
  training.Iterate(1);
}

TEST_CASE("the state of a run with other options is refused") {
  TrainOptions options = SmallOptions();
  OvalTraining training(options);
  const std::vector<std::byte> before = training.trainer->Save();
  SECTION("net") { options.net.hidden_units = {16, 9}; }
  SECTION("envs") { options.sim.num_envs = 15; }
  SECTION("seed of the simulator") { options.sim.seed = 7; }
  SECTION("episodes") { options.sim.episode.max_steps = 9; }
  SECTION("sensors") { options.sim.sensors.look_ahead_m = {1}; }
  OvalTraining other(options);
  other.Iterate(1);
  RestoreError(*training.trainer, other.trainer->Save());
  CHECK((training.trainer->Save() == before));
  training.Iterate(1);
}

TEST_CASE("a reward that is not a number is an error that spoils nothing") {
  bool pays_nan = false;
  ThreadPool pool(2);
  const auto trainer =
      ValueOf(Trainer::Create(SmallOptions(), std::make_unique<PointBandit>(&pays_nan), &pool));
  ValueOf(trainer->RunIteration());
  const std::vector<std::byte> before = trainer->Save();

  pays_nan = true;  // one sample of 256: minibatches before its own are learned from
  const auto failed = trainer->RunIteration();
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message.find("finite") != std::string::npos);
  CHECK((trainer->Save() == before));

  pays_nan = false;
  ValueOf(trainer->RunIteration());
  for (const NamedTensor& tensor : trainer->policy().tensors) {
    for (const float value : tensor.values) REQUIRE(std::isfinite(value));
  }
}

TEST_CASE("a stop inside an iteration leaves no trace of it") {
  TrainOptions options = OptionsOf(true);
  options.ppo.minibatch_size = 64;
  OvalTraining whole(options);
  whole.Iterate(4);

  // before each control step and each minibatch of the third iteration
  const int num_checks =
      options.ppo.horizon + options.ppo.num_epochs * (256 / options.ppo.minibatch_size);
  OvalTraining training(options);
  training.Iterate(2);
  const std::vector<std::byte> before = training.trainer->Save();
  for (int stop_at = 0; stop_at < num_checks; ++stop_at) {
    int num_asked = 0;
    CHECK_FALSE(ValueOf(training.trainer->RunIteration([&] {
                  return num_asked++ == stop_at;
                })).has_value());
    const bool is_as_before = training.trainer->Save() == before;  // too long to print
    REQUIRE(is_as_before);
  }
  int num_asked = 0;
  CHECK(ValueOf(training.trainer->RunIteration([&] { return ++num_asked < 0; })).has_value());
  CHECK(num_asked == num_checks);
  training.Iterate(1);
  CHECK((training.trainer->Save() == whole.trainer->Save()));
}

TEST_CASE("options out of range make no trainer") {
  ThreadPool pool(1);
  TrainOptions options = SmallOptions();
  options.ppo.clip_range = -1;
  const auto made = Trainer::Create(options, std::make_unique<PointBandit>(), &pool);
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().message.find("ppo.clip_range") != std::string::npos);
}

}  // namespace
}  // namespace lapforge::agents
