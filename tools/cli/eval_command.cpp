// lapforge eval: laps with a trained policy.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "sim/base/file_io.h"
#include "sim/base/log.h"
#include "tools/cli/command.h"
#include "tools/cli/laps.h"
#include "tools/cli/run_setup.h"
#include "tools/cli/track/race_check.h"

namespace lapforge::cli {
namespace {

struct EvalArguments {
  std::string run_path;
  std::string policy = "best";
  std::string track;
  int num_laps = 3;
  int num_threads = DefaultThreads();
  LapOutputs outputs;
  bool is_json = false;
};

void DeclareArguments(CLI::App& app, EvalArguments& arguments) {
  app.add_option("run", arguments.run_path, "Folder of a run")->required();
  app.add_option("--policy", arguments.policy, "'best', 'last' or a policy file [best]");
  app.add_option("-t,--track", arguments.track, "Another track than the run's own ones");
  app.add_option("--laps", arguments.num_laps, "Laps, from starts spread over the track [3]")
      ->check(CLI::Range(1, 1000));
  app.add_option("--recording", arguments.outputs.recording_path,
                 "Where to keep the recording [RUN/recordings/eval.lfrec]");
  app.add_option("--picture", arguments.outputs.picture_path,
                 "Also draw the fastest lap to this PNG file");
  app.add_option("--threads", arguments.num_threads, "Threads; results do not depend on it")
      ->check(CLI::Range(1, 256));
  app.add_flag("--json", arguments.is_json, "Print JSON instead of a table");
}

std::filesystem::path PolicyPath(const EvalArguments& arguments) {
  if (arguments.policy == "best" || arguments.policy == "last") {
    return std::filesystem::path(arguments.run_path) / (arguments.policy + ".policy");
  }
  return arguments.policy;
}

// Nobody asked for this one: a run that cannot be written is still worth looking at.
void KeepInRun(const sim::Recording& recording, const agents::RunFolder& folder) {
  const std::filesystem::path recordings = folder.path() / "recordings";
  Result<void> kept = MakeFolders(recordings);
  if (kept.ok()) kept = sim::SaveRecording(recording, recordings / "eval.lfrec");
  if (!kept.ok()) LogWarning("the laps are not recorded: ", kept.error().message);
}

Result<void> Evaluate(EvalArguments arguments) {
  LAPFORGE_TRY(const auto folder, agents::RunFolder::OpenForReading(arguments.run_path));
  LAPFORGE_TRY(StoredRun run, ReadStoredRun(*folder));
  LAPFORGE_TRY(const agents::Policy policy, agents::LoadPolicy(PolicyPath(arguments)));
  LAPFORGE_TRY(const auto driver, agents::MakeDriver(policy));
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(run.options.sim.car));
  if (!arguments.track.empty()) {
    LAPFORGE_TRY(tracks::Track track, LoadTrackFor(car, arguments.track));
    run.tracks = {std::move(track)};
  }

  // the policy knows what it sees and does
  run.options.sim.actions = policy.actions;
  run.options.sim.sensors = policy.sensors;
  run.options.sim.timing.control_hz = policy.control_hz;
  ThreadPool pool(arguments.num_threads);
  LAPFORGE_TRY(const auto evaluator, agents::Evaluator::Create(run.options.sim, car, run.tracks,
                                                               arguments.num_laps, &pool));

  const agents::RecordedEvaluation laps = evaluator->RunRecorded(*driver);
  if (arguments.is_json) {
    PrintLapsJson(laps.evaluation, PolicyPath(arguments).string(), run.tracks.front().name());
  } else {
    PrintLaps(laps.evaluation, run.tracks);
  }
  if (arguments.outputs.recording_path.empty()) KeepInRun(laps.recording, *folder);
  return WriteLaps(laps, arguments.outputs);
}

}  // namespace

int RunEvalCommand(int argc, char** argv) {
  CLI::App app("Drives laps with a trained policy; each is recorded for 'lapforge replay'.",
               "eval");
  EvalArguments arguments;
  DeclareArguments(app, arguments);
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  return ExitCodeOf(Evaluate(arguments));
}

}  // namespace lapforge::cli
