// lapforge eval: laps with a trained policy.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "sim/base/file_io.h"
#include "sim/base/log.h"
#include "sim/base/option_fields.h"
#include "sim/base/strings.h"
#include "tools/cli/candidate.h"
#include "tools/cli/command.h"
#include "tools/cli/film_output.h"
#include "tools/cli/laps.h"
#include "tools/cli/memory_check.h"
#include "tools/cli/progress_line.h"
#include "tools/cli/run_setup.h"
#include "tools/cli/track/race_check.h"

namespace lapforge::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxCars = 65536;  // as many as a simulator holds

struct EvalArguments {
  std::string path;
  std::string policy = "best";
  std::vector<std::string> tracks;       // one each
  std::vector<std::string> track_lists;  // split at commas
  std::string car;
  int num_laps = 3;
  int num_trials = 1;
  bool is_continuous = false;
  bool is_randomised = false;
  std::string seed;
  agents::EvaluationRules rules;
  int window = 3;
  LapOutputs outputs;
  FilmArguments film;
  int num_threads = DefaultThreads();
  bool is_json = false;
  bool is_quiet = false;
  bool prints_steps = false;
};

void DeclareArguments(CLI::App& app, EvalArguments& arguments) {
  app.add_option("run", arguments.path, "Folder of a run, or a policy file")->required();
  app.add_option("--policy", arguments.policy,
                 "'best', 'last', 'checkpoint' (the newest) or a policy file [best]");
  app.add_option("-t,--track", arguments.tracks, "Other tracks than the run's own; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--tracks", arguments.track_lists, "The same, several with commas between")
      ->allow_extra_args(false);
  app.add_option("--car", arguments.car, "Another car than the run's own");
  app.add_option("--laps", arguments.num_laps,
                 "Laps a trial, from starts spread over the track [3]")
      ->check(CLI::Range(1, 1000));
  app.add_option("--trials", arguments.num_trials, "Trials on each track [1]")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--continuous", arguments.is_continuous,
               "Laps of a trial follow one another: only the first starts standing");
  app.add_option("--resets", arguments.rules.max_resets,
                 "A car that left the road or crashed is put back so often a drive [0]")
      ->check(CLI::Range(0, 1000000));
  app.add_option("--off-track-penalty", arguments.rules.off_track_penalty_s,
                 "Seconds that it costs to be put back [2]")
      ->check(CLI::Range(0.0, 1000.0));
  app.add_option("--crash-penalty", arguments.rules.crash_penalty_s,
                 "The same after a crash into an object [5]")
      ->check(CLI::Range(0.0, 1000.0));
  app.add_option("--seed", arguments.seed, "Seed of sensor noise and objects [the run's]");
  app.add_flag("--randomise,--randomize", arguments.is_randomised,
               "Vary car, road and sensors as in training");
  app.add_option("--average-of", arguments.window, "Laps in a row for the best average [3]")
      ->check(CLI::Range(1, 1000));
  app.add_option("--recording", arguments.outputs.recording_path,
                 "Where to keep the recording [RUN/recordings/eval.lfrec]");
  app.add_option("--picture", arguments.outputs.picture_path,
                 "Also draw the best lap to a .png or .svg file");
  DeclareFilm(app, arguments.film);
  app.add_option("--threads", arguments.num_threads, "Threads; results do not depend on it")
      ->check(CLI::Range(1, 256));
  app.add_flag("--sim-trace", arguments.prints_steps, "Print steps as DeepRacer's log does");
  app.add_flag("--json", arguments.is_json,
               "Print JSON instead of a table; null for times that there are not");
  app.add_flag("-q,--quiet", arguments.is_quiet, "Only the result");
}

Result<std::vector<tracks::Track>> LoadTracks(const EvalArguments& arguments,
                                              const sim::CarSpec& car) {
  std::vector<std::string> names = arguments.tracks;
  for (const std::string& list : arguments.track_lists) {
    LAPFORGE_TRY(const std::vector<std::string> more, SplitTrackNames(list));
    names.insert(names.end(), more.begin(), more.end());
  }
  std::vector<tracks::Track> tracks;
  for (const std::string& name : names) {
    LAPFORGE_TRY(tracks::Track track, LoadTrackFor(car, name));
    tracks.push_back(std::move(track));
  }
  return tracks;
}

Result<Candidate> PrepareCandidate(const EvalArguments& arguments) {
  LAPFORGE_TRY(Candidate candidate, OpenCandidate(arguments.path, arguments.policy));
  if (candidate.tracks.empty() && arguments.tracks.empty() && arguments.track_lists.empty()) {
    return ErrorOf(candidate.policy_path,
                   " is in no run's folder: say with --track where to drive");
  }
  if (!arguments.car.empty()) candidate.options.car = arguments.car;
  if (!arguments.seed.empty()) {
    const Result<void> set = SetOption(candidate.options, "seed", arguments.seed);
    if (!set.ok()) return ErrorOf("--seed ", arguments.seed, ": ", set.error().message);
  }
  return candidate;
}

Result<agents::EvaluationRules> RulesOf(const EvalArguments& arguments,
                                        const std::vector<tracks::Track>& tracks) {
  agents::EvaluationRules rules = arguments.rules;
  rules.num_trials = arguments.num_trials * (arguments.is_continuous ? 1 : arguments.num_laps);
  rules.laps_per_trial = arguments.is_continuous ? arguments.num_laps : 1;
  if (const int64_t num_cars = int64_t{rules.num_trials} * std::ssize(tracks);
      num_cars > kMaxCars) {
    return ErrorOf(arguments.is_continuous ? "" : "--laps times ", "--trials times ", tracks.size(),
                   tracks.size() == 1 ? " track is " : " tracks is ", num_cars,
                   " drives at the same time; expected at most ", kMaxCars);
  }
  if (arguments.is_randomised) rules.randomization = agents::Randomization::kAsTrained;
  for (const tracks::Track& track : tracks) {
    if (rules.laps_per_trial == 1 || track.is_closed()) continue;
    return ErrorOf("--continuous: track ", track.name(), " is open, it has a single lap");
  }
  return rules;
}

// Nobody asked for this one: a run that cannot be written is still worth looking at.
void KeepInRun(const sim::Recording& recording, const fs::path& run_folder) {
  const fs::path recordings = run_folder / "recordings";
  Result<void> kept = MakeFolders(recordings);
  if (kept.ok()) kept = sim::SaveRecording(recording, recordings / "eval.lfrec");
  if (!kept.ok()) LogWarning("the laps are not recorded: ", kept.error().message);
}

// As DeepRacer keeps evaluations: an episode a trial.
Result<void> AddToTree(const agents::RecordedEvaluation& laps, const Candidate& candidate,
                       bool prints_steps) {
  if (candidate.run_folder.empty()) {
    return ErrorOf("--sim-trace: ", candidate.policy_path, " is in no run's folder");
  }
  return agents::WriteDeepRacerEvaluation(
      candidate.run_folder, laps, prints_steps ? agents::TextSink(PrintText) : agents::TextSink());
}

void Print(const agents::Evaluation& evaluation, const Candidate& candidate,
           const EvalArguments& arguments) {
  const LapCounting counting = {arguments.num_laps, arguments.window};
  if (arguments.is_json) {
    PrintLapsJson(evaluation, candidate.tracks, candidate.policy_path.string(), counting);
    return;
  }
  PrintLaps(evaluation, candidate.tracks, counting);
  PrintLapTimes(evaluation, candidate.tracks, counting);
}

agents::RecordedEvaluation DriveAll(agents::Evaluator& evaluator, agents::PolicyDriver& driver,
                                    agents::RecordingWishes wishes, bool is_quiet) {
  ProgressLine line(is_quiet);
  wishes.on_step = [&](size_t num_ended, size_t num_all) {
    line.Show(num_ended, num_all, "drives have ended");
  };
  return evaluator.RunRecorded(driver, wishes);
}

Result<void> Evaluate(const EvalArguments& arguments) {
  LAPFORGE_TRY(Candidate candidate, PrepareCandidate(arguments));
  LAPFORGE_TRY(const auto driver, agents::MakeDriver(candidate.policy));
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(candidate.options.car));
  LAPFORGE_TRY(std::vector<tracks::Track> other_tracks, LoadTracks(arguments, car));
  if (!other_tracks.empty()) candidate.tracks = std::move(other_tracks);
  LAPFORGE_TRY(const agents::EvaluationRules rules, RulesOf(arguments, candidate.tracks));
  if (arguments.is_randomised && candidate.options.randomize == sim::RandomizeOptions()) {
    LogWarning("--randomise: this policy was trained with nothing varied (sim.randomize), so ",
               "nothing varies here");
  }
  const double num_drives = double(rules.num_trials) * double(candidate.tracks.size());
  LAPFORGE_CHECK_OK(CheckMemory(
      std::vector<agents::MemoryPart>{{arguments.is_continuous ? "--trials" : "--laps or --trials",
                                       num_drives * agents::BytesPerCar(candidate.options)}}));
  ThreadPool pool(arguments.num_threads);
  LAPFORGE_TRY(const auto evaluator,
               agents::Evaluator::Create(candidate.options, car, candidate.tracks, rules, &pool));
  LAPFORGE_TRY(FilmOutput film, FilmOutput::Open(arguments.film));

  const bool keeps_facts = arguments.prints_steps || candidate.has_tree;
  agents::RecordedEvaluation laps = DriveAll(
      *evaluator, *driver, {.keeps_facts = keeps_facts, .on_step = {}}, arguments.is_quiet);
  laps.recording.note = "policy " + candidate.policy_path.string();
  if (keeps_facts) {
    const Result<void> added = AddToTree(laps, candidate, arguments.prints_steps);
    if (!added.ok()) LogWarning("the laps are not in deepracer/: ", added.error().message);
  }
  Print(laps.evaluation, candidate, arguments);
  if (arguments.outputs.recording_path.empty() && !candidate.run_folder.empty()) {
    KeepInRun(laps.recording, candidate.run_folder);
  }
  LAPFORGE_CHECK_OK(WriteLaps(laps, arguments.outputs, &pool));
  return film.Write(laps.recording, BestLap(laps.evaluation).env_index, &pool);
}

}  // namespace

int RunEvalCommand(int argc, char** argv) {
  CLI::App app("Drives laps with a trained policy; all are recorded for 'lapforge replay'.",
               "eval");
  EvalArguments arguments;
  DeclareArguments(app, arguments);
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  return ExitCodeOf(Evaluate(arguments));
}

}  // namespace lapforge::cli
