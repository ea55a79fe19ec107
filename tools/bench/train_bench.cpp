#include "tools/bench/train_bench.h"

#include <sys/resource.h>

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

struct TrainScene {
  std::string name;
  agents::TrainOptions options;
  int num_iterations = 0;  // the first tenth, or the first one, is not measured
  std::vector<int> thread_counts = {2};
};

TrainScene CameraScene(const std::string& name, agents::NetKind kind, int width_px, int height_px) {
  TrainScene scene;
  scene.name = name;
  scene.options.net.kind = kind;
  scene.options.ppo.num_epochs = 3;
  scene.options.sim.sensors.kinds = {"camera"};
  scene.options.sim.sensors.camera.width_px = width_px;
  scene.options.sim.sensors.camera.height_px = height_px;
  return scene;
}

// The same but for a critic that sees the policy's images, through the policy's trunk.
TrainScene SharedOf(TrainScene scene) {
  scene.name += "-shared";
  scene.options.net.critic_sees_state = false;
  return scene;
}

TrainScene Bfloat16Of(TrainScene scene) {
  scene.name += "-bf16";
  scene.options.net.precision = agents::NetPrecision::kBfloat16;
  return scene;
}

// As many as fill a GPU, which 64 do not.
TrainScene WithManyCars(TrainScene scene, int num_envs) {
  scene.name += StrCat("-", num_envs);
  scene.options.sim.num_envs = num_envs;
  scene.options.ppo.horizon = 32;
  scene.options.ppo.minibatch_size = num_envs * 8;
  scene.num_iterations = 8;
  scene.thread_counts = {static_cast<int>(std::max(2u, std::thread::hardware_concurrency()))};
  return scene;
}

// Where not named "shared", the critic of a lidar or camera is an mlp that sees the track state.
// Large nets learn from few steps an iteration, so that a row takes some ten seconds, in
// minibatches of the default size.
std::vector<TrainScene> Scenes(int num_iterations) {
  TrainScene state = {"state", {}, num_iterations, {1, 2}};
  TrainScene lidar = {"lidar", {}, num_iterations / 5};
  lidar.options.sim.sensors.kinds = {"lidar"};
  TrainScene nano = CameraScene("nano", agents::NetKind::kNano, 64, 48);
  nano.num_iterations = num_iterations / 10;
  TrainScene deepracer = CameraScene("deepracer", agents::NetKind::kDeepracerShallow, 160, 120);
  deepracer.options.ppo.horizon = 16;
  deepracer.num_iterations = 3;
  return {state,
          lidar,
          nano,
          SharedOf(nano),
          deepracer,
          Bfloat16Of(deepracer),
          SharedOf(deepracer),
          WithManyCars(nano, 2048),
          WithManyCars(Bfloat16Of(deepracer), 512)};
}

// Without being asked for, those that a CPU finishes in seconds.
bool IsWanted(const TrainScene& scene, const TrainBenchOptions& options) {
  const std::vector<std::string>& wanted = options.scenes;
  if (!wanted.empty()) return std::ranges::find(wanted, scene.name) != wanted.end();
  return options.device == agents::NetDevice::kCuda || scene.options.sim.num_envs <= 64;
}

double CpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return double(time.tv_sec) + 1e-6 * double(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Result<void> TimeTraining(const tracks::Track& track, const TrainScene& bench, int num_threads,
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
  double cpu_s = 0;
  int64_t env_steps = 0;
  const int num_warm_up = std::max(1, bench.num_iterations / 10);
  for (int i = 0; i < bench.num_iterations; ++i) {
    const double cpu_before_s = CpuSeconds();
    LAPFORGE_TRY(const std::optional<agents::IterationStats> stats, trainer->RunIteration());
    if (i < num_warm_up) continue;
    cpu_s += CpuSeconds() - cpu_before_s;
    collect_s += stats->collect_s;
    update_s += stats->update_s;
    env_steps += stats->new_env_steps;
  }
  const double steps = static_cast<double>(env_steps);
  std::printf(
      "train  %-20s %d threads  %8.0f steps/s  collect %7.2f us  learn %7.2f us  cpu %7.2f us  "
      "hash %016" PRIx64 "\n",
      bench.name.c_str(), num_threads, steps / (collect_s + update_s), 1e6 * collect_s / steps,
      1e6 * update_s / steps, 1e6 * cpu_s / steps, trainer->ParameterHash());
  std::fflush(stdout);
  return {};
}

}  // namespace

std::vector<std::string> TrainSceneNames() {
  std::vector<std::string> names;
  for (const TrainScene& scene : Scenes(0)) names.push_back(scene.name);
  return names;
}

int BenchTrain(const tracks::Track& track, const TrainBenchOptions& options) {
  std::vector<TrainScene> scenes = Scenes(options.num_iterations);
  for (TrainScene& scene : scenes) {
    if (!IsWanted(scene, options)) continue;
    scene.options.net.device = options.device;
    for (const int num_threads : scene.thread_counts) {
      const Result<void> timed = TimeTraining(track, scene, num_threads, options);
      if (timed.ok()) continue;
      std::fprintf(stderr, "lapforge bench: %s\n", timed.error().message.c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace lapforge::bench
