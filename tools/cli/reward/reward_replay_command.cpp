// lapforge reward replay: a new reward over old laps.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "reward/reward_replay.h"
#include "sim/base/strings.h"
#include "tools/cli/command.h"
#include "tools/cli/reward/guard_arguments.h"
#include "tools/cli/reward/replay_output.h"
#include "tools/cli/reward/reward_commands.h"
#include "tools/cli/run_setup.h"

namespace lapforge::cli {
namespace {

namespace fs = std::filesystem;

struct ReplayArguments {
  std::string file;
  std::string drive;  // run folder or recording
  std::string compared_file;
  std::vector<std::string> assignments;
  int lap = 0;  // of the table, from 1; 0: the fastest
  double discount = 0.99;
  bool is_measured = false;
  std::string csv_path;
  std::string plot_path;
  bool is_json = false;
};

constexpr const char* kNative = "native";

// From what stands for a reward on the command line: "native", an options file, else what
// `lapforge train --reward` takes.
Result<reward::RewardReplayOptions> OptionsOf(const std::string& file,
                                              const ReplayArguments& arguments) {
  OptionSources sources;
  sources.assignments = arguments.assignments;
  if (fs::path(file).extension() == ".textproto") {
    sources.options_file = file;
  } else if (file != kNative) {
    sources.reward_file = file;
  }
  LAPFORGE_TRY(const agents::TrainOptions train, ResolveOptions(sources));
  reward::RewardReplayOptions options;
  options.reward = train.reward;
  options.discount = arguments.discount;
  options.facts = train.sim.facts;
  return options;
}

// The recordings of a run, sorted, or the one file.
Result<std::vector<std::string>> RecordingsOf(const std::string& drive) {
  std::error_code error;
  if (!fs::is_directory(drive, error)) return std::vector<std::string>{drive};
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(drive) / "recordings", error)) {
    if (entry.path().extension() == ".lfrec") paths.push_back(entry.path().string());
  }
  if (paths.empty()) {
    return ErrorOf(drive, ": this folder holds no recordings of a run; '", ProgramName(), " eval ",
                   drive, "' makes one");
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// A reward of the command line, and what it paid.
struct Payer {
  std::string name;
  reward::RewardReplayOptions options;
  std::vector<ReplayedFile> files;  // one a recording
};

// The first reward, and the second if there is one. Both are shown the same facts, so that their
// steps can stand side by side: DeepRacer's where one of them expects those.
Result<std::vector<Payer>> PayersOf(const ReplayArguments& arguments) {
  std::vector<Payer> payers;
  for (const std::string& name : {arguments.file, arguments.compared_file}) {
    if (name.empty()) continue;
    LAPFORGE_TRY(reward::RewardReplayOptions options, OptionsOf(name, arguments));
    payers.push_back({name, std::move(options), {}});
  }
  const bool wants_deepracer = std::any_of(payers.begin(), payers.end(), [](const Payer& payer) {
    return payer.options.facts == sim::FactsInstant::kDeepracer;
  });
  for (Payer& payer : payers) {
    payer.options.facts = wants_deepracer && !arguments.is_measured ? sim::FactsInstant::kDeepracer
                                                                    : sim::FactsInstant::kMeasured;
  }
  return payers;
}

Result<void> ReplayAll(const std::string& drive, Payer& payer) {
  LAPFORGE_TRY(const std::vector<std::string> paths, RecordingsOf(drive));
  for (const std::string& path : paths) {
    LAPFORGE_TRY(const sim::Recording recording, sim::LoadRecording(path));
    payer.options.recording_name = path;
    LAPFORGE_TRY(reward::RewardReplay replay, reward::ReplayReward(recording, payer.options));
    payer.files.push_back({path, payer.name, std::move(replay)});
  }
  return {};
}

// The lap to draw, in the order of the tables.
Result<void> Draw(const std::vector<ReplayedFile>& files, const ReplayArguments& arguments) {
  const ReplayedFile* chosen_file = nullptr;
  const reward::RewardedLap* chosen = nullptr;
  int number = 0;
  for (const ReplayedFile& file : files) {
    for (const reward::RewardedLap& lap : file.replay.laps) {
      ++number;
      const bool is_faster =
          chosen == nullptr ||
          (lap.summary.is_lap() &&
           (!chosen->summary.is_lap() || lap.summary.lap_time_s < chosen->summary.lap_time_s));
      if (arguments.lap > 0 ? number != arguments.lap : !is_faster) continue;
      chosen_file = &file;
      chosen = &lap;
    }
  }
  if (chosen == nullptr) {
    return ErrorOf("--lap ", arguments.lap, ": expected 1 .. ", number, ", a row of the table");
  }
  return DrawReplay(*chosen_file, *chosen, arguments.plot_path);
}

void Print(const std::vector<Payer>& payers, const ReplayArguments& arguments) {
  nlohmann::json json = nlohmann::json::array();
  for (size_t i = 0; i < payers.front().files.size(); ++i) {
    for (const Payer& payer : payers) {
      if (arguments.is_json) {
        json.push_back(ReplayToJson(payer.files[i]));
      } else {
        PrintReplay(payer.files[i]);
      }
    }
  }
  if (arguments.is_json) return PrintJson(json);
  if (!arguments.csv_path.empty()) std::printf("Steps: %s\n", arguments.csv_path.c_str());
  if (!arguments.plot_path.empty()) std::printf("Picture: %s\n", arguments.plot_path.c_str());
}

Result<void> Replay(const ReplayArguments& arguments) {
  LAPFORGE_TRY(std::vector<Payer> payers, PayersOf(arguments));
  for (Payer& payer : payers) LAPFORGE_CHECK_OK(ReplayAll(arguments.drive, payer));
  const std::vector<ReplayedFile>& files = payers.front().files;
  if (!arguments.csv_path.empty()) {
    LAPFORGE_CHECK_OK(
        WriteReplayCsv(files, payers.size() > 1 ? payers[1].files : std::vector<ReplayedFile>(),
                       arguments.csv_path));
  }
  if (!arguments.plot_path.empty()) LAPFORGE_CHECK_OK(Draw(files, arguments));
  Print(payers, arguments);
  return {};
}

}  // namespace

int RunRewardReplayCommand(int argc, char** argv) {
  CLI::App app("What a reward would have paid for laps that were driven before.", "reward replay");
  ReplayArguments arguments;
  app.add_option("file", arguments.file,
                 "Python file, compiled reward (.so), options file (.textproto), or 'native'")
      ->required();
  app.add_option("drive", arguments.drive, "Run folder (all its recordings) or recording (.lfrec)")
      ->required();
  app.add_option("--compare", arguments.compared_file, "A second reward, shown beside the first");
  app.add_option("--set", arguments.assignments,
                 "One option, as in --set reward.native.center=0.5; may be repeated")
      ->take_all();
  app.add_option("--discount", arguments.discount, "For the discounted sums [0.99]")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--csv", arguments.csv_path, "Write every step to this file");
  app.add_option("--plot", arguments.plot_path,
                 "Draw one lap to this file, .png or .svg: reward on the map and along the way");
  app.add_option("--lap", arguments.lap, "The row of the tables to draw [the fastest lap]")
      ->check(CLI::Range(1, 1000000));
  app.add_flag("--measured", arguments.is_measured,
               "Show Python files the state after each action, not the one before it");
  app.add_flag("--json", arguments.is_json, "Print JSON");
  reward::GuardOptions guard;
  DeclareGuard(app, guard);
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  for (const std::string& file : {arguments.file, arguments.compared_file}) {
    if (!file.empty() && file != kNative) guard.files.push_back(file);
  }
  if (guard.files.empty()) return ExitCodeOf(Replay(arguments));
  return RunGuardedCommand(guard, [&] { return ExitCodeOf(Replay(arguments)); });
}

}  // namespace lapforge::cli
