// Tests that two policies race each other, each with the sensors and actions that it learned with.
#include "agents/policy.h"

#include <algorithm>

#include "sim/recording.h"
#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

Policy TrainedWith(const TrainOptions& options) {
  OvalTraining training(options);
  training.Iterate(4);
  return training.trainer->policy();
}

/// Numbers about the road ahead, and seven actions.
Policy DiscretePolicy() {
  TrainOptions options = DiscreteOptions();
  options.sim.sensors.look_ahead_m = {0.5, 1};
  return TrainedWith(options);
}

/// A policy in its cockpit.
struct Seat {
  Seat(const sim::VectorSim& sim, int env_index, const Policy& policy)
      : driver(ValueOf(MakeDriver(policy))),
        cockpit(ValueOf(sim::Cockpit::Create(sim, env_index, policy.sensors, policy.actions))),
        row(cockpit->observation_spec().row_bytes),
        numbers(policy.actions.kind == sim::ActionKind::kDiscrete ? 1 : 2) {}

  std::unique_ptr<PolicyDriver> driver;
  std::unique_ptr<sim::Cockpit> cockpit;
  std::vector<std::byte> row;
  std::vector<float> numbers;
};

/// Ten seconds on the oval, the cars put back where they leave it.
sim::Recording Race(const std::vector<Policy>& policies, ThreadPool* pool) {
  sim::SimOptions options;
  options.num_envs = options.cars_per_world = static_cast<int>(policies.size());
  options.episode.start = sim::StartMode::kLine;
  options.episode.max_steps = 0;
  options.episode.max_resets = 1000;
  const auto sim =
      ValueOf(sim::VectorSim::Create(options, ValueOf(sim::LoadCar("rc_1_18")), {Oval()}, pool));
  std::vector<Seat> seats;
  for (size_t i = 0; i < policies.size(); ++i) seats.emplace_back(*sim, int(i), policies[i]);
  sim::StepRows rows(*sim);
  sim->Reset(rows.observations);
  sim::Recorder recorder(*sim);
  for (int step = 0; step < 150; ++step) {
    for (size_t i = 0; i < seats.size(); ++i) {
      seats[i].cockpit->Observe(seats[i].row);
      seats[i].driver->Act(seats[i].row, seats[i].numbers);
      seats[i].cockpit->Act(seats[i].numbers, std::span(rows.actions).subspan(2 * i, 2));
    }
    sim->Step(rows.batch());
    recorder.Add(rows.actions);
  }
  return recorder.Take();
}

TEST_CASE("two policies that see and act differently race each other") {
  const std::vector<Policy> policies = {TrainedWith(CameraOptions()), DiscretePolicy()};
  ThreadPool pool(1);
  const sim::Recording race = Race(policies, &pool);
  CHECK(ValueOf(sim::Replay(race, &pool)).first_different_step == -1);

  // the second one asks for its own actions only, the first for what it likes
  const auto commands_of = [&](size_t car) {
    std::vector<std::pair<float, float>> commands;
    for (size_t i = 2 * car; i < race.actions.size(); i += 4) {
      commands.emplace_back(race.actions[i], race.actions[i + 1]);
    }
    std::sort(commands.begin(), commands.end());
    commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
    return commands.size();
  };
  CHECK(commands_of(0) > 20);
  CHECK(commands_of(1) <= policies[1].actions.discrete_speed_mps.size());

  ThreadPool three(3);
  CHECK(Race(policies, &three).hashes == race.hashes);
}

}  // namespace
}  // namespace lapforge::agents
