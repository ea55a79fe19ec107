// lapforge bench: the speed of the parts, with a hash of what they computed.
#include <CLI/CLI.hpp>

#include "tools/bench/reward_bench.h"
#include "tools/bench/sim_bench.h"
#include "tools/bench/sim_soak.h"
#include "tools/bench/track_bench.h"
#include "tools/bench/train_bench.h"
#include "tools/cli/command.h"
#include "tools/cli/device_eyes.h"
#include "tracks/track_files.h"

namespace lapforge::cli {
namespace {

constexpr int kRewardCalls = 200000;

int RunPart(const std::string& part, const tracks::Track& track,
            const bench::SimBenchOptions& sim_options,
            const bench::TrainBenchOptions& train_options) {
  if (part == "track") return bench::BenchTrack(track);
  if (part == "sim") return bench::BenchSim(track, sim_options);
  if (part == "reward") return bench::BenchReward(track, kRewardCalls);
  return bench::BenchTrain(track, train_options);
}

}  // namespace

int RunBenchCommand(int argc, char** argv) {
  CLI::App app("Measures speed. Compare figures of one run only: machines differ and are noisy.",
               "bench");
  std::vector<std::string> parts = {"track", "sim", "reward", "train"};
  std::string track_name = kDefaultTrack;
  app.add_option("parts", parts, "track, sim, reward, train [all]")->check(CLI::IsMember(parts));
  app.add_option("-t,--track", track_name, "Built-in track or track file [esses]");
  bench::SimBenchOptions sim_options;
  app.add_option("--scene", sim_options.scenes, "Scenes of sim [all]")
      ->check(CLI::IsMember(bench::SimSceneNames()));
  app.add_option("--threads", sim_options.num_threads, "Threads for sim [1 2]")
      ->check(CLI::Range(1, 256));
  app.add_option("--envs", sim_options.num_envs, "Cars for sim [64 4096]")
      ->check(CLI::Range(1, 65536));
  app.add_option("--env-steps", sim_options.num_env_steps,
                 "Steps in each measurement of sim [400000]")
      ->check(CLI::Range(1, 1000000000));
  bench::TrainBenchOptions train_options;
  app.add_option("--train-scene", train_options.scenes, "Scenes of train [all]")
      ->check(CLI::IsMember(bench::TrainSceneNames()));
  std::string device = "cpu";
  app.add_option("--device", device,
                 "Where cameras and lidars are drawn, and train learns: cpu, cuda, or cuda_twin, "
                 "its code on the CPU [cpu]")
      ->check(CLI::IsMember({"cpu", "cuda", "cuda_twin"}));
  bench::SoakOptions soak;
  const CLI::Option* const wants_soak =
      app.add_option("--soak", soak.num_env_steps,
                     "Instead, drive this many steps at random with everything switched on, and "
                     "look for faults and leaks")
          ->check(CLI::Range(1, 2000000000));
  app.add_flag("--csv", sim_options.is_csv, "Print the table of sim as CSV");
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;

  const Result<tracks::Track> track = tracks::LoadTrack(track_name);
  if (!track.ok()) return Fail(track.error());
  if (wants_soak->count() > 0) {
    soak.num_envs = sim_options.num_envs.front();
    soak.num_threads = sim_options.num_threads.front();
    return bench::SoakSim(*track, soak);
  }
  if (device != "cpu") {
    train_options.device =
        device == "cuda" ? agents::NetDevice::kCuda : agents::NetDevice::kCudaTwin;
    const auto eyes = EyesOf(train_options.device);
    if (!eyes.ok()) return Fail(eyes.error());
    sim_options.set_up = train_options.set_up = *eyes;
  }
  for (const std::string& part : parts) {
    if (const int code = RunPart(part, *track, sim_options, train_options); code != 0) return code;
  }
  return kOk;
}

}  // namespace lapforge::cli
