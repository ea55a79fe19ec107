// Four cars drive slowly along the oval, with nothing but the installed package.
#include <cstddef>
#include <iostream>
#include <numeric>
#include <vector>

#include "reward/reward_function.h"
#include "sim/base/thread_pool.h"
#include "sim/vector_sim.h"
#include "tracks/track_files.h"

int main() {
  using namespace lapforge;
  sim::SimOptions options;
  options.num_envs = 4;
  options.episode.start = sim::StartMode::kLine;
  ThreadPool pool(1);
  const auto created = sim::VectorSim::Create(options, sim::LoadBuiltInCar("rc_1_18").value(),
                                              {tracks::LoadBuiltInTrack("oval").value()}, &pool);
  if (!created.ok()) {
    std::cerr << created.error().message << '\n';
    return 1;
  }

  sim::VectorSim& cars = *created.value();
  const auto reward = reward::MakeNativeReward({});
  const std::vector<float> actions = {0, -1, 0, -1, 0, -1, 0, -1};  // straight, lowest speed
  std::vector<std::byte> observations(4 * cars.observation_spec().row_bytes);
  std::vector<std::byte> final_observations(observations.size());
  std::vector<sim::StepFacts> facts(4);
  std::vector<float> rewards(4);
  float sum = 0;
  cars.Reset(observations);
  for (int step = 0; step < 15; ++step) {
    cars.Step({actions, observations, final_observations, facts});
    if (!reward->Evaluate(facts, rewards).ok()) return 1;
    sum = std::accumulate(rewards.begin(), rewards.end(), sum);
  }
  std::cout << "four cars drove for a second, to " << facts[0].progress_pct
            << " % of the lap, worth " << sum << '\n';
  return facts[0].progress_pct > 0 && sum > 0 ? 0 : 1;
}
