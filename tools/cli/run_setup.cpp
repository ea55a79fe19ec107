#include "tools/cli/run_setup.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "sim/base/file_io.h"
#include "sim/base/hash.h"
#include "sim/base/option_fields.h"
#include "sim/base/strings.h"
#include "tools/cli/command.h"
#include "tracks/track_files.h"

namespace lapforge::cli {
namespace {

constexpr char kOptionsFile[] = "options.textproto";
constexpr char kRewardFile[] = "reward_function.py";
constexpr char kTrackFile[] = "track.npy";
constexpr char kHashFile[] = "inputs.xxh64";  // as xxh64sum writes and checks it

namespace fs = std::filesystem;

void ResolveBeside(const fs::path& options_file, std::string& path) {
  const fs::path beside = options_file.parent_path() / path;
  std::error_code error;
  if (!path.empty() && fs::path(path).is_relative() && fs::is_regular_file(beside, error)) {
    path = beside.string();
  }
}

Result<void> ApplySources(const OptionSources& sources, agents::TrainOptions& options) {
  if (!sources.preset.empty()) LAPFORGE_CHECK_OK(agents::MergePreset(sources.preset, options));
  if (!sources.options_file.empty()) {
    LAPFORGE_CHECK_OK(agents::MergeTrainOptionsFile(sources.options_file, options));
    for (std::string* path : {&options.reward.python_file, &options.run.track, &options.sim.car}) {
      ResolveBeside(sources.options_file, *path);
    }
  }
  for (const std::string& assignment : sources.assignments) {
    LAPFORGE_CHECK_OK(ApplyAssignment(assignment, options));
  }
  if (!sources.track.empty()) options.run.track = sources.track;
  if (!sources.reward_file.empty()) options.reward.python_file = sources.reward_file;
  if (sources.seed && !SetOption(options, "seed", *sources.seed).ok()) {
    return ErrorOf("--seed ", *sources.seed, ": expected a whole number, 0 .. ",
                   std::numeric_limits<uint64_t>::max());
  }
  if (sources.total_env_steps) options.run.total_env_steps = *sources.total_env_steps;
  if (sources.max_time_s) options.run.max_time_s = *sources.max_time_s;
  if (!sources.until.empty()) options.run.until = sources.until;
  return {};
}

// A run stores its options as text, where an empty list reads as an absent one: as the default.
Result<agents::TrainOptions> CheckLists(const agents::TrainOptions& options) {
  if (options.net.hidden_units.empty() || options.sim.sensors.look_ahead_m.empty()) {
    return ErrorOf(
        options.net.hidden_units.empty() ? "net.hidden_units" : "sim.sensors.look_ahead_m",
        " is empty; expected at least one number");
  }
  return options;
}

// What functions written for DeepRacer expect: its params, and episodes that end with the lap. An
// episode must be long enough for a slow first lap of the longest public tracks (100 m).
void SetDeepRacerDefaults(agents::TrainOptions& options) {
  options.sim.facts = sim::FactsInstant::kDeepracer;
  options.sim.episode.max_laps = 1;
  options.sim.episode.max_steps = 3000;
}

std::string HashLine(std::string_view content, const std::string& name) {
  char hash[17];
  std::snprintf(hash, sizeof(hash), "%016" PRIx64, HashText(content));
  return StrCat(hash, "  ", name, "\n");
}

// `given` are the bytes of the file that the argument `option` names.
Result<void> CheckSame(const std::string& option, const std::string& given,
                       const agents::RunFolder& folder, const char* name) {
  const Result<std::string> stored = folder.ReadText(name);
  if (stored.ok() && *stored == given) return {};
  const std::string began_with = folder.Has(name) ? (folder.path() / name).string() : "its default";
  return ErrorOf(option, " differs from ", began_with,
                 ", with which the run began; go on without it, or start a new run");
}

std::string FileNameFrom(const std::string& name) {
  std::string result = std::filesystem::path(name).stem().string();
  for (char& c : result) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
  }
  return result;
}

}  // namespace

Result<void> ApplyAssignment(const std::string& assignment, agents::TrainOptions& options) {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos) {
    return ErrorOf("--set ", assignment, ": expected key=value, as in ppo.learning_rate=3e-4");
  }
  const Result<void> set = SetOption(options, Trim(std::string_view(assignment).substr(0, equals)),
                                     Trim(std::string_view(assignment).substr(equals + 1)));
  if (!set.ok()) return ErrorOf("--set ", assignment, ": ", set.error().message);
  return {};
}

Result<agents::TrainOptions> ResolveOptions(const OptionSources& sources) {
  agents::TrainOptions options;
  LAPFORGE_CHECK_OK(ApplySources(sources, options));
  if (!options.reward.python_file.empty()) {
    options = agents::TrainOptions();
    SetDeepRacerDefaults(options);
    LAPFORGE_CHECK_OK(ApplySources(sources, options));
  }
  if (options.run.track.empty()) options.run.track = kDefaultTrack;
  options.sim.seed = options.seed;
  LAPFORGE_CHECK_OK(agents::Validate(options));
  return CheckLists(options);
}

Result<RunParts> BuildRun(const agents::TrainOptions& options, const tracks::Track& track,
                          int num_threads) {
  RunParts parts;
  parts.options = options;
  parts.pool = std::make_unique<ThreadPool>(num_threads);
  parts.tracks = {track};
  LAPFORGE_TRY(parts.car, sim::LoadCar(options.sim.car));
  if (!track.is_closed() && track.length_m() < 3 * parts.car.body_length_m) {
    return ErrorOf("track ", track.name(), " is open and ", FormatFixed(track.length_m(), 2),
                   " m long: too short for a car of ", FormatFixed(parts.car.body_length_m, 2),
                   " m");
  }
  LAPFORGE_TRY(parts.sim,
               sim::VectorSim::Create(options.sim, parts.car, parts.tracks, parts.pool.get()));
  LAPFORGE_TRY(parts.reward, reward::MakeReward(options.reward, parts.sim->tracks()));
  LAPFORGE_TRY(parts.trainer, agents::Trainer::Create(options, parts.sim.get(), parts.reward.get(),
                                                      parts.pool.get()));
  LAPFORGE_TRY(parts.evaluator,
               agents::Evaluator::Create(options.sim, parts.car, track, options.run.evaluation_laps,
                                         parts.pool.get()));
  return parts;
}

Result<StoredRun> ReadStoredRun(const agents::RunFolder& folder) {
  agents::TrainOptions options;
  LAPFORGE_CHECK_OK(
      agents::MergeTrainOptionsFile((folder.path() / kOptionsFile).string(), options));
  LAPFORGE_CHECK_OK(agents::Validate(options));
  if (!options.reward.python_file.empty()) {
    options.reward.python_file = (folder.path() / kRewardFile).string();
  }
  LAPFORGE_TRY(const std::string rows, folder.ReadText(kTrackFile));
  const Result<tracks::Track> track = tracks::ParseNpyTrack(rows, options.run.track);
  if (!track.ok()) {
    return ErrorOf(folder.path() / kTrackFile, " is damaged: ", track.error().message);
  }
  return StoredRun{std::move(options), *track};
}

Result<void> CheckInputs(const OptionSources& sources, const agents::RunFolder& folder) {
  // runs of earlier versions have no hashes
  std::string hashes;
  if (folder.Has(kHashFile)) {
    LAPFORGE_TRY(hashes, folder.ReadText(kHashFile));
  }
  for (const char* name : {kRewardFile, kTrackFile}) {
    if (hashes.find(StrCat("  ", name, "\n")) == hashes.npos) continue;
    LAPFORGE_TRY(const std::string content, folder.ReadText(name));
    if (hashes.find(HashLine(content, name)) != hashes.npos) continue;
    return ErrorOf(folder.path() / name,
                   " has changed since the run began; bring it back, or start a new run with it");
  }

  if (!sources.reward_file.empty()) {
    LAPFORGE_TRY(const std::string source, ReadFile(sources.reward_file));
    LAPFORGE_CHECK_OK(CheckSame("--reward " + sources.reward_file, source, folder, kRewardFile));
  }
  if (!sources.track.empty()) {
    LAPFORGE_TRY(const tracks::Track track, tracks::LoadTrack(sources.track));
    return CheckSame("--track " + sources.track, tracks::TrackToNpy(track), folder, kTrackFile);
  }
  return {};
}

Result<void> StoreRun(const agents::TrainOptions& options, const tracks::Track& track,
                      agents::RunFolder& folder) {
  std::string hashes;
  if (!options.reward.python_file.empty()) {
    LAPFORGE_TRY(const std::string source, ReadFile(options.reward.python_file));
    LAPFORGE_CHECK_OK(folder.WriteText(kRewardFile, source));
    hashes += HashLine(source, kRewardFile);
  }
  const std::string rows = tracks::TrackToNpy(track);
  LAPFORGE_CHECK_OK(folder.WriteText(kTrackFile, rows));
  LAPFORGE_CHECK_OK(folder.WriteText(kHashFile, hashes + HashLine(rows, kTrackFile)));
  return StoreOptions(options, folder);
}

// The reward they name is the copy in the folder, wherever the folder goes.
Result<void> StoreOptions(const agents::TrainOptions& options, agents::RunFolder& folder) {
  agents::TrainOptions stored = options;
  if (!stored.reward.python_file.empty()) stored.reward.python_file = kRewardFile;
  return folder.WriteText(kOptionsFile, OptionsToText(stored));
}

std::string FreshRunPath(const std::string& track_name) {
  const std::string stem = "runs/" + FileNameFrom(track_name) + "-";
  int number = 1;
  while (std::filesystem::exists(StrCat(stem, number))) ++number;
  return StrCat(stem, number);
}

}  // namespace lapforge::cli
