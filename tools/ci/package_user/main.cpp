// Calls something of each library in the installed package.
#include <iostream>
#include <string>
#include <vector>

#include "reward/reward_function.h"
#include "sim/base/rng.h"
#include "sim/vector_sim.h"
#include "tracks/track_files.h"

int main() {
  const auto car = lapforge::sim::LoadBuiltInCar("rc_1_18");
  std::vector<lapforge::tracks::Track> tracks;
  for (const std::string& name : lapforge::tracks::BuiltInTrackNames()) {
    std::cout << "built-in track " << name << '\n';
    tracks.push_back(lapforge::tracks::LoadBuiltInTrack(name).value());
  }
  const auto reward = lapforge::reward::MakeReward({}, tracks);
  return car.ok() && reward.ok() ? 0 : 1;
}
