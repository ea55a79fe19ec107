// Calls something of each library in the installed package.
#include <iostream>

#include "reward/reward_function.h"
#include "sim/base/rng.h"
#include "sim/vector_sim.h"
#include "tracks/track_files.h"

int main() {
  const auto car = lapforge::sim::LoadBuiltInCar("rc_1_18");
  const auto reward = lapforge::reward::MakeReward({}, 1);
  for (const std::string& name : lapforge::tracks::BuiltInTrackNames()) {
    std::cout << "built-in track " << name << '\n';
  }
  return car.ok() && reward.ok() ? 0 : 1;
}
