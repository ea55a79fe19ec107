// lapforge replay: a recording driven again, every hash compared.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "sim/recording.h"
#include "tools/cli/command.h"
#include "tools/cli/laps.h"

namespace lapforge::cli {
namespace {

// False where the drive differs from the recording.
Result<bool> ReplayFile(const std::string& path, int num_threads) {
  LAPFORGE_TRY(const sim::Recording recording, sim::LoadRecording(path));
  ThreadPool pool(num_threads);
  LAPFORGE_TRY(const sim::ReplayReport report, sim::Replay(recording, &pool));
  for (const sim::LapResult& lap : report.laps) {
    std::printf("car %d: lap in %s%s\n", lap.env_index + 1, LapTimeText(lap.lap_time_us).c_str(),
                lap.is_clean ? "" : ", not clean");
  }
  if (report.first_different_step < 0) {
    std::printf("%s: all %d steps agree\n", path.c_str(), report.num_steps);
    return true;
  }
  std::printf("%s: differs from step %d of %d on\n", path.c_str(), report.first_different_step,
              report.num_steps);
  return false;
}

}  // namespace

int RunReplayCommand(int argc, char** argv) {
  CLI::App app("Simulates recordings again and compares the hash of every step.", "replay");
  std::vector<std::string> paths;
  int num_threads = DefaultThreads();
  app.add_option("recordings", paths, "Recording files (.lfrec)")->required();
  app.add_option("--threads", num_threads, "Threads; results do not depend on it")
      ->check(CLI::Range(1, 256));
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;

  // all are looked at, whatever is wrong with one
  for (const std::string& path : paths) {
    const Result<bool> agrees = ReplayFile(path, num_threads);
    const int code = !agrees.ok() ? Fail(agrees.error()) : *agrees ? kOk : kFailure;
    exit_code = std::max(exit_code, code);
  }
  return exit_code;
}

}  // namespace lapforge::cli
