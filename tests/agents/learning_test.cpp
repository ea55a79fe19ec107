// Tests that learning learns: worlds with known answers, and clean laps on the oval.
#include <cmath>

#include "agents/algorithms/ppo.h"
#include "agents/evaluation.h"
#include "agents/rollout/collector.h"
#include "tests/agents/agents_fixture.h"
#include "tests/agents/small_environments.h"

namespace lapforge::agents {
namespace {

TrainOptions LearningOptions() {
  TrainOptions options = SmallOptions();
  options.ppo.minibatch_size = 128;
  options.ppo.learning_rate = 3e-3;
  options.ppo.schedule = LearningRateSchedule::kConstant;
  return options;
}

// The best action after learning in a world that always shows 1.
std::vector<float> LearnedAction(std::unique_ptr<Environment> world, int num_iterations) {
  ThreadPool pool(1);
  const size_t action_dim = size_t(world->spec().action_dim);
  const auto trainer = ValueOf(Trainer::Create(LearningOptions(), std::move(world), &pool));
  for (int i = 0; i < num_iterations; ++i) ValueOf(trainer->RunIteration());
  const std::vector<float> observation = {1};
  std::vector<float> action(action_dim);
  trainer->driver().Act(std::as_bytes(std::span(observation)), action);
  return action;
}

TEST_CASE("the arm that pays best is found") {
  CHECK(LearnedAction(std::make_unique<ArmedBandit>(), 30).at(0) == ArmedBandit::kBestArm);
}

TEST_CASE("the mean of a continuous action moves to the best point") {
  const std::vector<float> action = LearnedAction(std::make_unique<PointBandit>(), 100);
  CHECK(std::abs(action.at(0) - PointBandit::kBest[0]) < 0.05f);
  CHECK(std::abs(action.at(1) - PointBandit::kBest[1]) < 0.05f);
}

TEST_CASE("a pole on a cart is kept up until the episode is cut") {
  TrainOptions options = LearningOptions();
  options.ppo.horizon = 64;
  options.ppo.discount = 0.99;
  ThreadPool pool(1);
  const auto trainer = ValueOf(Trainer::Create(options, std::make_unique<CartPole>(), &pool));
  double episode_return = 0;
  for (int i = 0; i < 150 && episode_return < 195; ++i) {
    episode_return = (*ValueOf(trainer->RunIteration())).episode_return;
  }
  CHECK(episode_return >= 195);  // at most 200; pushing at random keeps it up for 20
}

// The critic's values along the corridor after learning.
std::vector<float> CorridorValues(CorridorEnd end, double discount) {
  TrainOptions options = LearningOptions();
  options.ppo.discount = discount;
  Corridor corridor(end);
  ThreadPool pool(1);
  ActorCritic nets = NetsFor(corridor.spec(), options.net, 1);
  ObservationNormalizer normalizer(1, false);
  Collector collector(&corridor, &nets, &normalizer, &pool, 1);
  RolloutBuffer buffer(options.ppo.horizon, corridor.spec());
  Ppo ppo(options.ppo, corridor.spec(), &nets, &pool, 1);
  for (int i = 0; i < 300; ++i) {
    CHECK(ValueOf(collector.Collect(buffer)));
    ValueOf(ppo.Update(buffer, options.ppo.learning_rate));
  }
  std::vector<float> places(Corridor::kNumSteps);
  for (size_t i = 0; i < places.size(); ++i) places[i] = float(i) / Corridor::kNumSteps;
  std::vector<float> values(places.size());
  nets.Values(std::as_bytes(std::span(places)), values);
  return values;
}

TEST_CASE("an episode that is cut goes on in its value, one that ends does not") {
  constexpr double kDiscount = 0.9;
  const double forever = 1 / (1 - kDiscount);
  const std::vector<float> cut = CorridorValues(CorridorEnd::kTruncated, kDiscount);
  const std::vector<float> ended = CorridorValues(CorridorEnd::kTerminated, kDiscount);
  for (size_t place = 0; place < cut.size(); ++place) {
    CAPTURE(place);
    const int steps_left = Corridor::kNumSteps - int(place);
    CHECK(cut[place] == Approx(forever).epsilon(0.05));
    CHECK(ended[place] ==
          Approx(forever * (1 - std::pow(kDiscount, steps_left))).epsilon(0.05).margin(0.2));
  }
}

// Whether three laps of the oval are clean after an iteration within so many steps.
bool DrivesOvalWithin(const TrainOptions& options, int64_t max_env_steps) {
  OvalTraining training(options, 2);
  const auto evaluator =
      ValueOf(Evaluator::Create(options.sim, training.sim->car(), {Oval()},
                                {.num_trials = options.run.evaluation_laps}, &training.pool));
  const int64_t new_steps = int64_t{options.ppo.horizon} * options.sim.num_envs;
  while (training.trainer->env_steps() + new_steps <= max_env_steps) {
    training.Iterate(1);
    if (evaluator->Run(training.trainer->driver()).num_clean() == 3) return true;
  }
  return false;
}

TEST_CASE("default options drive three clean laps of the oval within 40000 steps") {
  TrainOptions options;
  options.run.track = "oval";
  CHECK(DrivesOvalWithin(options, 40000));
}

TEST_CASE("images alone, through one trunk, suffice to drive three clean laps") {
  TrainOptions options;
  options.run.track = "oval";
  options.sim.sensors.kinds = {"camera"};
  options.sim.sensors.camera.width_px = 64;
  options.sim.sensors.camera.height_px = 48;
  options.net.critic_sees_state = false;
  options.reward.native.smoothness = 0.5;
  CHECK(DrivesOvalWithin(options, 30000));
}

}  // namespace
}  // namespace lapforge::agents
