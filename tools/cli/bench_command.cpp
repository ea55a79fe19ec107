// lapforge bench: the speed of the parts, with a hash of what they computed.
#include <CLI/CLI.hpp>

#include "tools/bench/reward_bench.h"
#include "tools/bench/sim_bench.h"
#include "tools/bench/track_bench.h"
#include "tools/bench/train_bench.h"
#include "tools/cli/command.h"
#include "tracks/track_files.h"

namespace lapforge::cli {
namespace {

constexpr int kEnvSteps = 400000;  // about 2 s a scene
constexpr int kRewardCalls = 200000;
constexpr int kIterations = 50;

int RunScene(const std::string& scene, const tracks::Track& track) {
  if (scene == "track") return bench::BenchTrack(track);
  if (scene == "sim") return bench::BenchSim(track, kEnvSteps);
  if (scene == "reward") return bench::BenchReward(track, kRewardCalls);
  return bench::BenchTrain(track, kIterations);
}

}  // namespace

int RunBenchCommand(int argc, char** argv) {
  CLI::App app("Measures speed. Compare figures of one run only: machines differ and are noisy.",
               "bench");
  std::vector<std::string> scenes = {"track", "sim", "reward", "train"};
  std::string track_name = "esses";
  app.add_option("scenes", scenes, "track, sim, reward, train [all]")->check(CLI::IsMember(scenes));
  app.add_option("-t,--track", track_name, "Built-in track or track file [esses]");
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;

  const Result<tracks::Track> track = tracks::LoadTrack(track_name);
  if (!track.ok()) return Fail(track.error());
  for (const std::string& scene : scenes) {
    if (const int code = RunScene(scene, *track); code != 0) return code;
  }
  return kOk;
}

}  // namespace lapforge::cli
