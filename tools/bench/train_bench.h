// The learner part of `lapforge bench`: what an env step of training costs.
#pragma once

#include <string>
#include <vector>

#include "tracks/track.h"

namespace lapforge::bench {

struct TrainBenchOptions {
  std::vector<std::string> scenes;  // empty: all
  int num_iterations = 50;          // of the smallest nets; others take fewer
};

/// Names of the scenes: each is one way to train, with the critic that its options give it.
std::vector<std::string> TrainSceneNames();

/// Trains on `track` in each scene, the first on 1 and 2 threads, the others on 2. Prints one line
/// each to stdout: env steps a second; microseconds an env step to collect and to learn, and of all
/// processors together; the hash of the parameters, which must not depend on the threads. The first
/// tenth of the iterations is not timed. Returns 0, or 1 after a message on stderr.
int BenchTrain(const tracks::Track& track, const TrainBenchOptions& options);

}  // namespace lapforge::bench
