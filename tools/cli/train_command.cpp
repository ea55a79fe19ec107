// lapforge train: from a track and a reward to clean laps.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "reward/user_code.h"
#include "sim/base/file_io.h"
#include "sim/base/log.h"
#include "sim/base/strings.h"
#include "tools/cli/command.h"
#include "tools/cli/deepracer_table.h"
#include "tools/cli/laps.h"
#include "tools/cli/run_setup.h"
#include "tools/cli/stop_signal.h"
#include "tools/cli/track/race_check.h"
#include "tools/cli/train_display.h"

namespace lapforge::cli {
namespace {

// As the range of run.max_time_s, to name the argument that was typed.
constexpr double kMaxTimeS = 1e9;

struct TrainArguments {
  OptionSources sources;
  std::string track_list;
  std::string run_path;
  std::string continue_path;
  int num_threads = DefaultThreads();
  bool is_quiet = false;
  bool is_verbose = false;
  bool shows_options = false;
  bool prints_steps = false;
};

void DeclareArguments(CLI::App& app, TrainArguments& arguments) {
  CLI::Option* const track =
      app.add_option("-t,--track", arguments.sources.tracks, "Built-in track or track file")
          ->expected(1);
  app.add_option("--tracks", arguments.track_list, "Several at the same time: a,b,c")
      ->excludes(track);
  app.add_option("-r,--reward", arguments.sources.reward_file,
                 "Python file with reward_function(params), or a compiled reward (.so); without "
                 "it, a built-in reward");
  app.add_option("--reward-max-errors", arguments.sources.max_reward_errors,
                 "Episodes that errors of the reward may end before training stops [20]")
      ->check(CLI::Range(1, 1'000'000'000));
  app.add_option("--reward-log", arguments.sources.reward_log,
                 "File that all that the reward prints is appended to");
  app.add_option("-p,--preset", arguments.sources.preset,
                 "Options for a purpose: " + Join(agents::PresetNames(), ", "));
  app.add_option("--metadata", arguments.sources.deepracer_paths.metadata,
                 "DeepRacer's model_metadata.json: actions, sensors, network");
  app.add_option("--hyperparameters", arguments.sources.deepracer_paths.hyperparameters,
                 "DeepRacer's hyperparameters.json");
  app.add_option("-o,--options", arguments.sources.options_file, "Options file (.textproto)");
  app.add_option("--set", arguments.sources.assignments,
                 "One option, as in --set ppo.learning_rate=3e-4; may be repeated")
      ->take_all();
  app.add_option("--method", arguments.sources.method,
                 "ppo: from the reward. distill: a teacher learns on the track state, then the "
                 "policy from it. distill+ppo: then from the reward. auto: distill for cameras "
                 "and lidars [auto]")
      ->check(CLI::IsMember({"auto", "ppo", "distill", "distill+ppo"}));
  app.add_option("--device", arguments.sources.device,
                 "Where PPO learns and its cameras and lidars are drawn: cpu or cuda [cpu]")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--precision", arguments.sources.precision,
                 "Arithmetic of nets for images: float32, bf16 or auto [float32]")
      ->check(CLI::IsMember({"float32", "bf16", "auto"}));
  app.add_flag("--randomise", arguments.sources.is_randomised,
               "Grip, actuators, camera, light and width differ from episode to episode");
  app.add_option("--seed", arguments.sources.seed, "Seed of everything random");
  app.add_option("--steps", arguments.sources.total_env_steps, "Env steps to learn from at most")
      ->check(CLI::Range(int64_t{1}, agents::kMaxEnvSteps));
  app.add_option("--time", arguments.sources.max_time_s,
                 "Seconds of training at most, of the run as a whole; 0: any")
      ->check(CLI::Range(0.0, kMaxTimeS));
  app.add_option(
      "--until", arguments.sources.until,
      "Goal to stop at: \"completion>=100 for 3 evals\", \"lap_time<=4.6 and clean>=100\"");
  app.add_option("--run", arguments.run_path, "Folder of the run [runs/<track>-<number>]");
  app.add_option("--continue", arguments.continue_path, "Go on with the run in this folder");
  app.add_option("--threads", arguments.num_threads, "Threads; results do not depend on it")
      ->check(CLI::Range(1, 256));
  app.add_flag("-q,--quiet", arguments.is_quiet, "Only the result");
  app.add_flag("-v,--verbose", arguments.is_verbose, "More messages");
  app.add_flag("--sim-trace", arguments.prints_steps,
               "Print steps of the first car as DeepRacer's log does");
  app.add_flag("--show-options", arguments.shows_options, "Print all options and their values");
}

// A run that is ready to learn: a new one, or one from a folder.
struct PreparedRun {
  std::unique_ptr<agents::RunFolder> folder;
  RunParts parts;
  bool is_new = true;
  bool has_new_budget = false;
  bool has_new_reward = false;
};

// What is printed is what is traced.
void TraceIfPrinted(const TrainArguments& arguments, agents::TrainOptions& options) {
  int& num_workers = options.run.deepracer_workers;
  if (arguments.prints_steps) num_workers = std::max(num_workers, 1);
}

// Nets read ranges as metres. Where lost beams say something far above all others, they see little
// else (agents/README.md has the numbers).
void WarnOfFarDropOuts(const sim::SensorOptions& sensors) {
  constexpr double kNearM = 4;
  const sim::LidarOptions& lidar = sensors.lidar;
  const bool has_ranges =
      sensors.Has(sim::SensorKind::kLidar) && lidar.form == sim::LidarForm::kRanges;
  if (!has_ranges || lidar.dropout_frac == 0 || lidar.max_range_m <= kNearM) return;
  LogWarning("sim.sensors.lidar.dropout_frac ", lidar.dropout_frac, ": lost beams say max_range_m ",
             lidar.max_range_m, ", which hides the others from a net; ",
             "sim.sensors.lidar.max_range_m=", kNearM, " is learned from far better");
}

// A new run's folder appears last, so that nothing is left behind where the set-up fails.
Result<PreparedRun> PrepareNewRun(const TrainArguments& arguments) {
  PreparedRun run;
  LAPFORGE_TRY(agents::TrainOptions options, ResolveOptions(arguments.sources));
  TraceIfPrinted(arguments, options);
  WarnOfFarDropOuts(options.sim.sensors);
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(options.sim.car));
  LAPFORGE_TRY(const std::vector<tracks::Track> tracks, LoadTracks(options, car));
  LAPFORGE_TRY(run.parts, BuildRun(options, tracks, arguments.num_threads));
  LAPFORGE_TRY(run.folder, agents::RunFolder::Create(arguments.run_path.empty()
                                                         ? FreshRunPath(options.run.track)
                                                         : arguments.run_path));
  LAPFORGE_CHECK_OK(StoreRun(options, tracks, arguments.sources.deepracer_paths, *run.folder));
  return run;
}

// --steps, --time, --until and run.* may change for the rest of a run; everything else is part of
// its bits. True where something changed.
Result<bool> ChangeBudget(const TrainArguments& arguments, agents::TrainOptions& options) {
  const OptionSources& sources = arguments.sources;
  if (!sources.options_file.empty() || !sources.preset.empty() || sources.seed ||
      !sources.deepracer.empty() || !sources.method.empty() || !sources.device.empty() ||
      !sources.precision.empty() || sources.is_randomised) {
    return ErrorOf(
        "--continue takes the run's own options and seed; only --steps, --time, --until and --set "
        "run.* can change");
  }
  for (const std::string& assignment : sources.assignments) {
    if (!agents::MayChangeInRun(Trim(assignment.substr(0, assignment.find('='))))) {
      return ErrorOf("--set ", assignment,
                     ": only run.* (but not run.track, run.more_tracks and run.method) and limits "
                     "of the reward can change with --continue");
    }
    LAPFORGE_CHECK_OK(ApplyAssignment(assignment, options));
  }
  // who asks for more steps is no longer held by an earlier time or goal
  if (sources.total_env_steps) {
    options.run.total_env_steps = *sources.total_env_steps;
    options.run.max_time_s = 0;
    options.run.until.clear();
  }
  if (sources.max_time_s) options.run.max_time_s = *sources.max_time_s;
  if (sources.max_reward_errors) options.reward.max_errors = *sources.max_reward_errors;
  if (!sources.reward_log.empty()) options.reward.log_file = sources.reward_log;
  if (!sources.until.empty()) options.run.until = sources.until;
  LAPFORGE_CHECK_OK(agents::Validate(options));
  return sources.total_env_steps || sources.max_time_s || !sources.until.empty() ||
         sources.max_reward_errors || !sources.reward_log.empty() || !sources.assignments.empty();
}

Result<PreparedRun> PrepareContinuedRun(const TrainArguments& arguments) {
  PreparedRun run;
  run.is_new = false;
  if (!arguments.run_path.empty()) {
    return ErrorOf("--run ", arguments.run_path, ": --continue goes on in the run's own folder");
  }
  const std::filesystem::path path = arguments.continue_path;
  if (std::filesystem::exists(path / "last.policy") &&
      !std::filesystem::exists(path / "checkpoints")) {
    return ErrorOf(path,
                   " has policies, but its folder checkpoints is gone: bring it back, or start ",
                   "a new run");
  }
  LAPFORGE_TRY(run.folder, agents::RunFolder::OpenForWriting(arguments.continue_path));
  LAPFORGE_CHECK_OK(CheckInputs(arguments.sources, *run.folder));
  LAPFORGE_TRY(run.has_new_reward, NamesNewReward(arguments.sources, *run.folder));
  LAPFORGE_TRY(StoredRun stored, ReadStoredRun(*run.folder));
  if (run.has_new_reward) SetRewardFile(arguments.sources.reward_file, stored.options.reward);
  LAPFORGE_TRY(run.has_new_budget, ChangeBudget(arguments, stored.options));
  TraceIfPrinted(arguments, stored.options);
  LAPFORGE_TRY(run.parts, BuildRun(stored.options, stored.tracks, arguments.num_threads));
  return run;
}

// As a shell reads it.
std::string PastedPath(const std::filesystem::path& path) {
  const std::string text = path.string();
  return text.find_first_of(" \t'\"$&()*?;") == text.npos ? text : StrCat("\"", text, "\"");
}

// Keeps what went wrong, and says how to go on.
std::string AllowMending(const std::string& message, const PreparedRun& run) {
  const Result<void> stored = StoreRewardStop(message, *run.folder);
  if (!stored.ok()) LogWarning(stored.error().message);
  return StrCat(ProgramName(), " train --continue ", PastedPath(run.folder->path()), " --reward ",
                PastedPath(run.parts.options.reward.file()));
}

// Says what went wrong. A run that failed before it learned anything is of no use to anybody, but
// for one whose reward was at fault: that may be mended.
int FailRun(const Error& error, PreparedRun& run) {
  if (EndsWith(error.message, agents::kTooManyRewardErrors)) {
    return Fail(ErrorOf(error.message, "; mend it and go on: ", AllowMending(error.message, run)),
                kFailure);
  }
  if (run.is_new && run.parts.learner->iteration() == 0) {
    std::error_code ignored;
    std::filesystem::remove_all(run.folder->path(), ignored);
  }
  return Fail(error, kFailure);
}

void PrintStart(const PreparedRun& run) {
  const agents::TrainOptions& options = run.parts.options;
  std::vector<std::string> names;
  for (const tracks::Track& track : run.parts.tracks) {
    names.push_back(StrCat(track.name(), ", ", FormatFixed(track.length_m(), 2), " m"));
  }
  const std::string reward_file = options.reward.file();
  std::printf("Track %s. Reward: %s. Run folder: %s\n", Join(names, "; ").c_str(),
              reward_file.empty() ? "built-in" : reward_file.c_str(),
              run.folder->path().string().c_str());
  if (agents::IsDistilled(options)) {
    std::printf(
        "A teacher learns on the track state for %s steps, then the policy (%s) from it%s.\n",
        WithThousands(options.distill.teacher_env_steps).c_str(),
        Join(options.sim.sensors.kinds, ", ").c_str(),
        options.distill.then_ppo_env_steps > 0 ? ", then from the reward" : "");
  }
  std::fflush(stdout);
}

std::string StopText(const agents::TrainingSummary& summary) {
  switch (summary.reason) {
    case agents::StopReason::kBudget:
      return "All " + WithThousands(summary.env_steps) + " steps are done.";
    case agents::StopReason::kNoFaster:
      return "Laps are clean and no longer get faster.";
    case agents::StopReason::kTime:
      return "The time is over.";
    case agents::StopReason::kGoal:
      return "The goal is reached.";
    case agents::StopReason::kInterrupted:
      return "Stopped on request; everything is saved.";
  }
  return "";
}

void PrintSummary(const agents::TrainingSummary& summary) {
  const agents::TrainingProgress& progress = summary.progress;
  std::printf("%s %s steps in %.1f s.\n", StopText(summary).c_str(),
              WithThousands(summary.env_steps).c_str(), progress.train_s);
  if (progress.has_clean_laps()) {
    std::printf("First all clean after %.1f s (%s steps); best mean lap %.3f s (at %s steps).\n",
                progress.first_clean_s, WithThousands(progress.first_clean_env_steps).c_str(),
                progress.best_lap_time_s, WithThousands(progress.best_env_steps).c_str());
  } else {
    std::printf("No evaluation had all laps clean yet.\n");
  }
}

void PrintRewardErrors(const agents::Learner& learner) {
  const std::vector<reward::RewardErrorCount> counts = learner.reward_errors();
  if (!counts.empty()) std::printf("Episodes that the reward function ended by failing:\n");
  for (const reward::RewardErrorCount& count : counts) {
    std::printf("%8s  %s\n", WithThousands(count.num_episodes).c_str(), count.message.c_str());
  }
}

// The best policy drives once more, recorded and drawn.
Result<void> ShowBestLaps(const PreparedRun& run) {
  const std::filesystem::path& folder = run.folder->path();
  if (!run.folder->Has("best.policy")) return {};
  LAPFORGE_TRY(const agents::Policy policy, agents::LoadPolicy(folder / "best.policy"));
  LAPFORGE_TRY(const auto driver, agents::MakeDriver(policy));
  const agents::RecordedEvaluation laps = run.parts.evaluator->RunRecorded(
      *driver, {.keeps_facts = run.parts.traced_reward != nullptr, .on_step = {}});
  std::printf("\nLaps of the best policy:\n");
  PrintLaps(laps.evaluation, run.parts.tracks,
            {.laps_per_trial = run.parts.options.run.evaluation_laps});
  LAPFORGE_CHECK_OK(MakeFolders(folder / "recordings"));
  if (run.parts.traced_reward != nullptr) {
    LAPFORGE_CHECK_OK(agents::WriteDeepRacerEvaluation(folder, laps));
  }
  return WriteLaps(
      laps, {(folder / "recordings" / "best.lfrec").string(), (folder / "best_lap.png").string()},
      run.parts.pool.get());
}

void PrintNextSteps(const PreparedRun& run, const agents::TrainingSummary& summary) {
  const std::string path = PastedPath(run.folder->path());
  std::printf("\n");
  if (run.folder->Has("best.policy")) {
    std::printf("Picture: %s\nDrive again: %s eval %s\n",
                (run.folder->path() / "best_lap.png").c_str(), ProgramName().c_str(), path.c_str());
  }
  if (summary.reason != agents::StopReason::kNoFaster) {
    std::printf("Learn more: %s train --continue %s --steps %lld\n", ProgramName().c_str(),
                path.c_str(),
                static_cast<long long>(
                    std::max(2 * summary.env_steps, run.parts.options.run.total_env_steps)));
  }
}

// Tells the display and, where there is one, the writer of the folder deepracer/.
class Observers : public agents::TrainingObserver {
 public:
  explicit Observers(agents::TrainingObserver* display) : display_(display) {}

  // Begins the folder, or goes on with it.
  Result<void> OpenTree(const PreparedRun& run, bool prints_steps) {
    if (run.parts.traced_reward == nullptr) return {};
    LAPFORGE_TRY(tree_, agents::DeepRacerTree::Open(run.folder->path(), run.parts.options,
                                                    run.parts.traced_reward));
    if (prints_steps) tree_->PrintSteps(PrintText);
    return {};
  }
  void OnIteration(const agents::IterationStats& stats, double train_s) override {
    display_->OnIteration(stats, train_s);
    if (tree_) tree_->OnIteration(stats, train_s);
  }
  void OnEvaluation(const agents::EvaluationPoint& point) override {
    display_->OnEvaluation(point);
    if (tree_) tree_->OnEvaluation(point);
  }
  std::vector<std::byte> Save() const override {
    return tree_ ? tree_->Save() : std::vector<std::byte>();
  }
  void Restore(std::span<const std::byte> state) override {
    if (tree_) tree_->Restore(state);
  }
  // What was learned does not depend on it.
  void FinishTree() {
    const Result<void> finished = tree_ ? tree_->Finish() : Result<void>();
    if (!finished.ok()) LogWarning("deepracer/ is not whole: ", finished.error().message);
  }

 private:
  agents::TrainingObserver* display_;
  std::unique_ptr<agents::DeepRacerTree> tree_;
};

Result<void> TakeNewBudget(const PreparedRun& run, const TrainArguments& arguments) {
  const int64_t env_steps = run.parts.learner->env_steps();
  const std::optional<int64_t>& wanted = arguments.sources.total_env_steps;
  if (wanted && *wanted < env_steps) {
    return ErrorOf("--steps ", *wanted, ": the run has learned from ", env_steps, " steps already");
  }
  return StoreOptions(run.parts.options, *run.folder);
}

// From now on this is the run's own reward.
Result<void> TakeNewReward(const PreparedRun& run) {
  run.parts.learner->ForgetRewardErrors();
  LAPFORGE_CHECK_OK(StoreRun(run.parts.options, run.parts.tracks, {}, *run.folder));
  LogInfo("the reward is ", run.parts.options.reward.file(), " from here on");
  return {};
}

Result<agents::TrainingSummary> Train(PreparedRun& run, const TrainArguments& arguments) {
  TrainDisplay display(run.parts.options, arguments.is_quiet || arguments.prints_steps);
  Observers observers(&display);
  agents::TrainingRun training({&run.parts.options, run.parts.learner.get(),
                                run.parts.evaluator.get(), run.parts.teacher_evaluator.get(),
                                run.folder.get(), &observers, &StopFlag()});
  LAPFORGE_CHECK_OK(observers.OpenTree(run, arguments.prints_steps));
  if (!run.is_new) {
    LAPFORGE_TRY(const bool is_resumed, training.Resume());
    if (run.has_new_reward) LAPFORGE_CHECK_OK(TakeNewReward(run));
    if (run.has_new_budget) LAPFORGE_CHECK_OK(TakeNewBudget(run, arguments));
    if (run.has_new_budget) training.LearnOn();
    const std::string reward_file = run.parts.options.reward.file();
    if (!reward_file.empty() && !run.has_new_reward) {
      LogInfo("the reward is the run's own copy, ", reward_file);
    }
    if (is_resumed) {
      LogInfo("going on after ", WithThousands(run.parts.learner->env_steps()), " steps");
    } else {
      LogInfo("the run was stopped before its first checkpoint: it starts over");
    }
  }
  Result<agents::TrainingSummary> summary = training.Run();
  observers.FinishTree();
  return summary;
}

// What the sources name, and is not read later.
Result<void> ReadSources(TrainArguments& arguments) {
  OptionSources& sources = arguments.sources;
  if (!arguments.track_list.empty()) {
    LAPFORGE_TRY(sources.tracks, SplitTrackNames(arguments.track_list));
  }
  LAPFORGE_TRY(sources.deepracer, agents::ReadDeepRacerFiles(sources.deepracer_paths));
  for (const std::string& warning : sources.deepracer.warnings) LogWarning(warning);
  return {};
}

}  // namespace

int RunTrainCommand(int argc, char** argv) {
  CLI::App app("Learns to drive a track. Ctrl-C stops and saves; --continue goes on.", "train");
  TrainArguments arguments;
  DeclareArguments(app, arguments);
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  SetLogLevel(arguments.is_quiet     ? LogLevel::kWarning
              : arguments.is_verbose ? LogLevel::kDebug
                                     : LogLevel::kInfo);
  if (const Result<void> read = ReadSources(arguments); !read.ok()) {
    return Fail(read.error());
  }
  if (arguments.shows_options) {
    const Result<agents::TrainOptions> options = ResolveOptions(arguments.sources);
    if (!options.ok()) return Fail(options.error());
    std::printf("%s", OptionsToText(*options).c_str());
    return kOk;
  }

  InstallStopSignal();
  reward::TellCrashes();
  const bool is_new = arguments.continue_path.empty();
  Result<PreparedRun> run = is_new ? PrepareNewRun(arguments) : PrepareContinuedRun(arguments);
  if (!run.ok()) return Fail(run.error(), ExitCodeAfterStop(kBadInput));
  if (!arguments.is_quiet) {
    PrintDeepRacerTable(arguments.sources.deepracer, run->parts.options);
    PrintStart(*run);
  }
  const Result<agents::TrainingSummary> summary = Train(*run, arguments);
  if (!summary.ok()) return FailRun(summary.error(), *run);
  PrintSummary(*summary);
  PrintRewardErrors(*run->parts.learner);
  if (!summary->interrupted_reward.empty()) {
    LogWarning("mend the reward and go on: ", AllowMending(summary->interrupted_reward, *run));
  }
  if (const Result<void> shown = ShowBestLaps(*run); !shown.ok()) {
    return Fail(shown.error(), kFailure);
  }
  if (!arguments.is_quiet) PrintNextSteps(*run, *summary);
  const bool is_interrupted = summary->reason == agents::StopReason::kInterrupted;
  return is_interrupted ? ExitCodeAfterStop(kInterrupted) : kOk;
}

}  // namespace lapforge::cli
