// The simulator part of `lapforge bench`: what a control step costs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/vector_sim.h"
#include "tracks/track.h"

namespace lapforge::bench {

struct SimBenchOptions {
  std::vector<std::string> scenes;  // of SimSceneNames(); empty: all
  std::vector<int> num_threads = {1, 2};
  std::vector<int> num_envs = {64, 4096};
  int num_env_steps = 400000;  // control steps of one car, in each measurement
  bool is_csv = false;
  /// Called with each simulator before it is driven, where not empty: gives it a device's eyes.
  std::function<Result<void>(sim::VectorSim&)> set_up;
};

/// "state", "walls", ...
std::vector<std::string> SimSceneNames();

/// Drives cars round `track` by pure pursuit, in every scene with every number of threads and envs.
/// Prints one line each to stdout: control steps a second, microseconds a step and in each phase
/// (the phases from a run of their own, since reading a clock costs too), and the final state hash.
/// Returns 0, or 1 after a message on stderr: also where a hash depends on the threads.
int BenchSim(const tracks::Track& track, const SimBenchOptions& options);

}  // namespace lapforge::bench
