// The learner part of `lapforge bench`: what an env step of training costs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agents/train_options.h"
#include "sim/vector_sim.h"
#include "tracks/track.h"

namespace lapforge::bench {

struct TrainBenchOptions {
  std::vector<std::string> scenes;  // empty: all, but for those that only a GPU does in seconds
  int num_iterations = 50;          // of the smallest nets; others take fewer
  agents::NetDevice device = agents::NetDevice::kCpu;
  /// Called with each simulator before it is driven, where not empty: gives it a device's eyes.
  std::function<Result<void>(sim::VectorSim&)> set_up;
};

/// Names of the scenes: each is one way to train, with the critic that its options give it.
std::vector<std::string> TrainSceneNames();

/// Trains on `track` in each scene, the first on 1 and 2 threads, the others on 2. Prints one line
/// each to stdout: env steps a second; microseconds an env step to collect and to learn, and of all
/// processors together; the hash of the parameters, which must not depend on the threads. The first
/// tenth of the iterations is not timed. Returns 0, or 1 after a message on stderr.
int BenchTrain(const tracks::Track& track, const TrainBenchOptions& options);

}  // namespace lapforge::bench
