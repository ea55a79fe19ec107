// What the learner's tests share: results unwrapped, random numbers, a small training on the oval.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "agents/trainer.h"
#include "sim/base/rng.h"
#include "tracks/track_files.h"

namespace lapforge::agents {

template <class T>
T ValueOf(Result<T> result) {
  INFO((result.ok() ? "" : result.error().message));
  REQUIRE(result.ok());
  return std::move(result).value();
}

inline void RequireOk(const Result<void>& result) {
  INFO((result.ok() ? "" : result.error().message));
  REQUIRE(result.ok());
}

/// Normal numbers, the same in each run.
template <class T>
std::vector<T> RandomNumbers(size_t count, uint64_t seed) {
  RngStream random(seed, 0, 0, RngPurpose::kTest);
  std::vector<T> numbers(count);
  for (T& number : numbers) number = static_cast<T>(random.Normal());
  return numbers;
}

/// Slope of `function` along each of `at`, by central differences.
inline std::vector<double> FiniteDifferences(std::vector<double>& at,
                                             const std::function<double()>& function) {
  constexpr double kStep = 1e-5;
  std::vector<double> slopes;
  for (double& number : at) {
    const double middle = number;
    number = middle + kStep;
    const double above = function();
    number = middle - kStep;
    slopes.push_back((above - function()) / (2 * kStep));
    number = middle;
  }
  return slopes;
}

/// Default options but for less of everything.
inline TrainOptions SmallOptions() {
  TrainOptions options;
  options.run.track = "oval";
  options.sim.num_envs = 16;
  options.ppo.horizon = 16;
  options.ppo.minibatch_size = 64;
  options.net.hidden_units = {16, 8};
  return options;
}

/// Seven steering angles at one speed.
inline TrainOptions DiscreteOptions() {
  TrainOptions options = SmallOptions();
  options.sim.actions.kind = sim::ActionKind::kDiscrete;
  options.sim.actions.discrete_steering_deg = {-30, -20, -10, 0, 10, 20, 30};
  options.sim.actions.discrete_speed_mps.assign(7, 1.0);
  return options;
}

/// A small camera; the critic sees the track state.
inline TrainOptions CameraOptions() {
  TrainOptions options = SmallOptions();
  options.sim.sensors.kinds = {"camera", "wheel_speed"};
  options.sim.sensors.camera.width_px = 32;
  options.sim.sensors.camera.height_px = 24;
  options.ppo.horizon = 8;
  options.ppo.num_epochs = 2;
  return options;
}

/// The same, but the critic sees what the policy sees, through the policy's trunk.
inline TrainOptions SharedTrunkOptions() {
  TrainOptions options = CameraOptions();
  options.net.critic_sees_state = false;
  return options;
}

inline tracks::Track Oval() { return ValueOf(tracks::LoadBuiltInTrack("oval")); }

/// A trainer on the oval with all that it borrows.
struct OvalTraining {
  explicit OvalTraining(const TrainOptions& train_options, int num_threads = 1)
      : options(train_options),
        pool(num_threads),
        sim(ValueOf(sim::VectorSim::Create(
            TrainerSimOptions(options), ValueOf(sim::LoadCar(options.sim.car)), {Oval()}, &pool))),
        reward(reward::MakeNativeReward(options.reward.native)),
        trainer(ValueOf(Trainer::Create(options, sim.get(), reward.get(), &pool))) {}

  void Iterate(int num_iterations) {
    for (int i = 0; i < num_iterations; ++i) ValueOf(trainer->RunIteration());
  }

  TrainOptions options;
  ThreadPool pool;
  std::unique_ptr<sim::VectorSim> sim;
  std::unique_ptr<reward::RewardFunction> reward;
  std::unique_ptr<Trainer> trainer;
};

}  // namespace lapforge::agents
