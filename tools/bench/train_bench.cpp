#include "tools/bench/train_bench.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "agents/trainer.h"
#include "reward/reward_function.h"
#include "sim/base/strings.h"

namespace lapforge::bench {
namespace {

struct TrainCase {
  std::string name;
  agents::TrainOptions options;
  int num_iterations = 0;  // the first tenth, or the first one, is not measured
  std::vector<int> thread_counts = {2};
};

TrainCase CameraCase(const std::string& name, agents::NetKind kind, int width_px, int height_px) {
  TrainCase bench;
  bench.name = name;
  bench.options.net.kind = kind;
  bench.options.ppo.num_epochs = 3;
  bench.options.sim.sensors.kinds = {"camera"};
  bench.options.sim.sensors.camera.width_px = width_px;
  bench.options.sim.sensors.camera.height_px = height_px;
  return bench;
}

// A GPU is not filled by 64 cars.
TrainCase WithManyCars(TrainCase bench, int num_envs) {
  bench.name += StrCat(", ", num_envs);
  bench.options.sim.num_envs = num_envs;
  bench.options.ppo.horizon = 32;
  bench.options.ppo.minibatch_size = num_envs * 8;
  bench.num_iterations = 8;
  bench.thread_counts = {static_cast<int>(std::max(2u, std::thread::hardware_concurrency()))};
  return bench;
}

// Large nets learn from few steps an iteration, so that a row takes seconds.
std::vector<TrainCase> Cases(const TrainBenchOptions& bench) {
  const int num_iterations = bench.num_iterations;
  TrainCase state = {"state", {}, num_iterations, {1, 2}};
  TrainCase lidar = {"lidar", {}, num_iterations / 5};
  lidar.options.sim.sensors.kinds = {"lidar"};
  TrainCase nano = CameraCase("nano", agents::NetKind::kNano, 64, 48);
  nano.num_iterations = num_iterations / 10;
  TrainCase deepracer = CameraCase("deepracer", agents::NetKind::kDeepracerShallow, 160, 120);
  deepracer.options.ppo.horizon = 8;
  deepracer.options.ppo.minibatch_size = 128;
  deepracer.num_iterations = 3;
  TrainCase bf16 = deepracer;
  bf16.name = "deepracer, bf16";
  bf16.options.net.precision = agents::NetPrecision::kBfloat16;
  std::vector<TrainCase> cases = {state, lidar, nano, deepracer, bf16};
  if (bench.device == agents::NetDevice::kCuda) {
    cases.push_back(WithManyCars(nano, 2048));
    cases.push_back(WithManyCars(bf16, 512));
  }
  for (TrainCase& train_case : cases) train_case.options.net.device = bench.device;
  return cases;
}

Result<void> TimeTraining(const tracks::Track& track, const TrainCase& bench, int num_threads,
                          const TrainBenchOptions& options) {
  ThreadPool pool(num_threads);
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(bench.options.sim.car));
  LAPFORGE_TRY(const auto sim, sim::VectorSim::Create(agents::TrainerSimOptions(bench.options), car,
                                                      {track}, &pool));
  const sim::SensorOptions& sensors = bench.options.sim.sensors;
  if (options.set_up &&
      (sensors.Has(sim::SensorKind::kCamera) || sensors.Has(sim::SensorKind::kLidar))) {
    LAPFORGE_CHECK_OK(options.set_up(*sim));
  }
  LAPFORGE_TRY(const auto reward, reward::MakeReward(bench.options.reward, sim->tracks()));
  LAPFORGE_TRY(const auto trainer,
               agents::Trainer::Create(bench.options, sim.get(), reward.get(), &pool));

  double collect_s = 0;
  double update_s = 0;
  int64_t env_steps = 0;
  const int num_warm_up = std::max(1, bench.num_iterations / 10);
  for (int i = 0; i < bench.num_iterations; ++i) {
    LAPFORGE_TRY(const std::optional<agents::IterationStats> stats, trainer->RunIteration());
    if (i < num_warm_up) continue;
    collect_s += stats->collect_s;
    update_s += stats->update_s;
    env_steps += stats->new_env_steps;
  }
  const double steps = static_cast<double>(env_steps);
  std::printf(
      "train  %-20s %d threads  %8.0f steps/s  collect %7.2f us  learn %7.2f us  hash %016" PRIx64
      "\n",
      bench.name.c_str(), num_threads, steps / (collect_s + update_s), 1e6 * collect_s / steps,
      1e6 * update_s / steps, trainer->ParameterHash());
  std::fflush(stdout);
  return {};
}

}  // namespace

int BenchTrain(const tracks::Track& track, const TrainBenchOptions& options) {
  for (const TrainCase& bench : Cases(options)) {
    for (const int num_threads : bench.thread_counts) {
      const Result<void> timed = TimeTraining(track, bench, num_threads, options);
      if (timed.ok()) continue;
      std::fprintf(stderr, "lapforge bench: %s\n", timed.error().message.c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace lapforge::bench
