// lapforge replay: a recording driven again, every hash compared.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "sim/recording.h"
#include "tools/cli/command.h"
#include "tools/cli/film_output.h"
#include "tools/cli/laps.h"

namespace lapforge::cli {
namespace {

struct ReplayArguments {
  std::vector<std::string> paths;
  FilmArguments film;
  int car = 0;  // counted from 1; 0: the one with the best lap
  int num_threads = DefaultThreads();
};

Result<void> Film(const sim::Recording& recording, const sim::ReplayReport& report,
                  const ReplayArguments& arguments, FilmOutput& film, ThreadPool* pool) {
  return film.Write(recording, arguments.car > 0 ? arguments.car - 1 : viewer::EnvToFollow(report),
                    pool);
}

// False where the drive differs from the recording.
Result<bool> ReplayFile(const std::string& path, const ReplayArguments& arguments,
                        FilmOutput& film) {
  LAPFORGE_TRY(const sim::Recording recording, sim::LoadRecording(path));
  if (arguments.car > recording.options.num_envs) {
    return ErrorOf("--car ", arguments.car, ": the recording has ", recording.options.num_envs);
  }
  ThreadPool pool(arguments.num_threads);
  LAPFORGE_TRY(const sim::ReplayReport report, sim::Replay(recording, &pool));
  for (const sim::LapResult& lap : report.laps) {
    std::printf("car %d: lap in %s%s\n", lap.env_index + 1, LapTimeText(lap.lap_time_us).c_str(),
                lap.is_clean ? "" : ", not clean");
  }
  if (report.first_different_step >= 0) {
    std::printf("%s: differs from step %d of %d on\n", path.c_str(), report.first_different_step,
                report.num_steps);
    return false;
  }
  std::printf("%s: all %d steps agree\n", path.c_str(), report.num_steps);
  if (film.is_wanted()) LAPFORGE_CHECK_OK(Film(recording, report, arguments, film, &pool));
  return true;
}

}  // namespace

int RunReplayCommand(int argc, char** argv) {
  CLI::App app("Simulates recordings again and compares the hash of every step.", "replay");
  ReplayArguments arguments;
  app.add_option("recordings", arguments.paths, "Recording files (.lfrec)")->required();
  DeclareFilm(app, arguments.film);
  app.add_option("--car", arguments.car, "The car to film [the one with the best lap]")
      ->check(CLI::Range(1, 65536));
  app.add_option("--threads", arguments.num_threads, "Threads; results do not depend on it")
      ->check(CLI::Range(1, 256));
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;

  if (arguments.film.any() && arguments.paths.size() > 1) {
    return Fail(
        ErrorOf("--video and --strip show one recording; there are ", arguments.paths.size()));
  }

  Result<FilmOutput> film = FilmOutput::Open(arguments.film);
  if (!film.ok()) return Fail(film.error());

  // all are looked at, whatever is wrong with one
  for (const std::string& path : arguments.paths) {
    const Result<bool> agrees = ReplayFile(path, arguments, *film);
    const int code = !agrees.ok() ? Fail(agrees.error()) : *agrees ? kOk : kFailure;
    exit_code = std::max(exit_code, code);
  }
  return exit_code;
}

}  // namespace lapforge::cli
