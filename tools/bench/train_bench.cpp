#include "tools/bench/train_bench.h"

#include <cinttypes>
#include <cstdio>
#include <string>
#include <vector>

#include "agents/trainer.h"
#include "reward/reward_function.h"

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

// Large nets learn from few steps an iteration, so that a row takes seconds.
std::vector<TrainCase> Cases(int num_iterations) {
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
  return {state, lidar, nano, deepracer, bf16};
}

Result<void> TimeTraining(const tracks::Track& track, const TrainCase& bench, int num_threads) {
  ThreadPool pool(num_threads);
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(bench.options.sim.car));
  LAPFORGE_TRY(const auto sim, sim::VectorSim::Create(agents::TrainerSimOptions(bench.options), car,
                                                      {track}, &pool));
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
      "train  %-15s %d threads  %8.0f steps/s  collect %7.2f us  learn %7.2f us  hash %016" PRIx64
      "\n",
      bench.name.c_str(), num_threads, steps / (collect_s + update_s), 1e6 * collect_s / steps,
      1e6 * update_s / steps, trainer->ParameterHash());
  std::fflush(stdout);
  return {};
}

}  // namespace

int BenchTrain(const tracks::Track& track, int num_iterations) {
  for (const TrainCase& bench : Cases(num_iterations)) {
    for (const int num_threads : bench.thread_counts) {
      const Result<void> timed = TimeTraining(track, bench, num_threads);
      if (timed.ok()) continue;
      std::fprintf(stderr, "lapforge bench: %s\n", timed.error().message.c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace lapforge::bench
