#include "tools/bench/train_bench.h"

#include <cinttypes>
#include <cstdio>

#include "agents/trainer.h"
#include "reward/reward_function.h"

namespace lapforge::bench {
namespace {

Result<void> TimeTraining(const tracks::Track& track, int num_iterations, int num_threads) {
  const agents::TrainOptions options;
  ThreadPool pool(num_threads);
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(options.sim.car));
  LAPFORGE_TRY(const auto sim, sim::VectorSim::Create(options.sim, car, {track}, &pool));
  LAPFORGE_TRY(const auto reward, reward::MakeReward(options.reward, sim->tracks()));
  LAPFORGE_TRY(const auto trainer,
               agents::Trainer::Create(options, sim.get(), reward.get(), &pool));

  double collect_s = 0;
  double update_s = 0;
  int64_t env_steps = 0;
  for (int i = 0; i < num_iterations; ++i) {
    LAPFORGE_TRY(const std::optional<agents::IterationStats> stats, trainer->RunIteration());
    if (i < num_iterations / 10) continue;
    collect_s += stats->collect_s;
    update_s += stats->update_s;
    env_steps += stats->new_env_steps;
  }
  const double steps = static_cast<double>(env_steps);
  std::printf("train  %d threads  %8.0f steps/s  collect %6.2f us  learn %6.2f us  hash %016" PRIx64
              "\n",
              num_threads, steps / (collect_s + update_s), 1e6 * collect_s / steps,
              1e6 * update_s / steps, trainer->ParameterHash());
  return {};
}

}  // namespace

int BenchTrain(const tracks::Track& track, int num_iterations) {
  for (const int num_threads : {1, 2}) {
    const Result<void> timed = TimeTraining(track, num_iterations, num_threads);
    if (timed.ok()) continue;
    std::fprintf(stderr, "lapforge bench: %s\n", timed.error().message.c_str());
    return 1;
  }
  return 0;
}

}  // namespace lapforge::bench
