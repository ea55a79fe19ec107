// The learner part of `lapforge bench`: what an env step of training costs.
#pragma once

#include <functional>

#include "agents/train_options.h"
#include "sim/vector_sim.h"
#include "tracks/track.h"

namespace lapforge::bench {

struct TrainBenchOptions {
  int num_iterations = 50;
  agents::NetDevice device = agents::NetDevice::kCpu;
  /// Called with each simulator before it is driven, where not empty: gives it a device's eyes.
  std::function<Result<void>(sim::VectorSim&)> set_up;
};

/// Trains on `track`: with the default options on 1 and 2 threads for `num_iterations` iterations,
/// and for fewer on 2 threads with a lidar, our nano net at 64x48 and DeepRacer's shallow net at
/// 160x120 in float32 and bfloat16; on a device also with as many cars as one is made for. Prints
/// one line each to stdout: env steps a second, microseconds an env step to collect and to learn,
/// and the hash of the parameters, which must not depend on the threads. The first tenth of the
/// iterations is not timed. Returns 0, or 1 after a message on stderr.
int BenchTrain(const tracks::Track& track, const TrainBenchOptions& options);

}  // namespace lapforge::bench
