#include "tools/cli/run_setup.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "agents/distiller.h"
#include "agents/trainer.h"
#include "sim/base/file_io.h"
#include "sim/base/hash.h"
#include "sim/base/option_fields.h"
#include "sim/base/strings.h"
#include "tools/cli/command.h"
#include "tools/cli/device_eyes.h"
#include "tools/cli/memory_check.h"
#include "tools/cli/track/race_check.h"
#include "tracks/track_files.h"

namespace lapforge::cli {
namespace {

constexpr char kOptionsFile[] = "options.textproto";
constexpr char kRewardFile[] = "reward_function.py";
constexpr char kPluginFile[] = "reward.so";
constexpr char kRewardErrorsFile[] = "reward_errors.txt";
constexpr char kRacelineFile[] = "raceline.csv";
constexpr char kMetadataFile[] = "model_metadata.json";
constexpr char kHyperparametersFile[] = "hyperparameters.json";
constexpr size_t kHashDigits = 16;
constexpr char kHashFile[] = "inputs.xxh64";  // as xxh64sum writes and checks it

// A teacher whose steering jitters cannot be imitated by one who does not see what it answers to
// (spec/learning.md section 5).
constexpr double kTeacherSmoothness = 0.5;

// --method distill+ppo: half of the steps are PPO's.
constexpr char kDistillThenPpo[] = "distill+ppo";

namespace fs = std::filesystem;

// "track.npy", "track_2.npy", ...
std::string TrackFile(size_t index) {
  return index == 0 ? "track.npy" : StrCat("track_", index + 1, ".npy");
}

// A file that a run keeps a copy of.
struct KeptFile {
  std::string* path;  // the option that names it; empty where there is none
  const char* name;   // of the copy
};

std::array<KeptFile, 3> KeptFilesOf(reward::RewardOptions& options) {
  return {{{&options.python_file, kRewardFile},
           {&options.plugin_file, kPluginFile},
           {&options.native.raceline_file, kRacelineFile}}};
}

bool IsCompiledReward(const std::string& path) { return fs::path(path).extension() == ".so"; }

std::string HashLine(std::string_view content, const std::string& name) {
  char hash[kHashDigits + 1];
  std::snprintf(hash, sizeof(hash), "%016" PRIx64, HashText(content));
  return StrCat(hash, "  ", name, "\n");
}

// Copies what the user's file imports from beside it; adds its hashes.
Result<void> StoreRewardModules(const std::string& python_file, agents::RunFolder& folder,
                                std::string& hashes) {
  LAPFORGE_TRY(const std::vector<reward::RewardModule> modules,
               reward::FindRewardModules(python_file));
  for (const reward::RewardModule& module : modules) {
    LAPFORGE_TRY(const std::string content, ReadFile(module.path));
    LAPFORGE_CHECK_OK(folder.WriteText(module.name, content));
    hashes += HashLine(content, module.name);
  }
  return {};
}

// A file that grows with what the reward prints must not be one that is needed as it is.
Result<void> CheckRewardLog(const reward::RewardOptions& options) {
  const std::string& log = options.log_file;
  if (log.empty()) return {};
  std::error_code error;
  const std::string& file = options.file();
  if (agents::IsFileOfRun(log)) {
    return ErrorOf("reward.log_file ", log, ": this is a run's own file; choose another name");
  }
  if (!file.empty() && fs::equivalent(log, file, error)) {
    return ErrorOf("reward.log_file ", log, ": this is the reward itself; choose another name");
  }
  return {};
}

void ResolveBeside(const fs::path& options_file, std::string& path) {
  const fs::path beside = options_file.parent_path() / path;
  std::error_code error;
  if (!path.empty() && fs::path(path).is_relative() && fs::is_regular_file(beside, error)) {
    path = beside.string();
  }
}

constexpr double kRandomisedWidthFrac = 0.3;

// What differs from episode to episode and from car to car (spec/learning.md section 6); a policy
// that has seen all of it finds its way on other tracks and on a real car.
void SetRandomised(sim::SimOptions& options) {
  sim::RandomizeOptions& ranges = options.randomize;
  ranges.track_width_frac = kRandomisedWidthFrac;
  ranges.friction_frac = 0.15;
  ranges.steering_lag_frac = 0.4;
  ranges.motor_lag_frac = 0.4;
  ranges.speed_gain_frac = 0.05;
  ranges.steering_gain_frac = 0.05;
  ranges.steering_trim_deg = 1;
  ranges.camera_shift_m = 0.01;
  ranges.camera_turn_deg = 2;
  ranges.camera_fov_frac = 0.05;
  ranges.brightness_levels = 25;
  ranges.contrast_frac = 0.3;
  ranges.num_grounds = 4;
  options.sensors.camera.noise_levels = 8;
}

Result<void> CheckOneReward(const OptionSources& sources) {
  for (const std::string& assignment : sources.assignments) {
    const std::string_view key = Trim(std::string_view(assignment).substr(0, assignment.find('=')));
    if (key != "reward.python_file" && key != "reward.plugin_file") continue;
    return ErrorOf("--reward ", sources.reward_file, " and --set ", assignment,
                   " name two rewards; leave one of them out");
  }
  return {};
}

Result<void> ApplySources(const OptionSources& sources, agents::TrainOptions& options) {
  if (!sources.preset.empty()) LAPFORGE_CHECK_OK(agents::MergePreset(sources.preset, options));
  if (sources.is_randomised) SetRandomised(options.sim);
  if (sources.is_randomised && sources.tracks.size() > 1) {
    options.sim.episode.direction = sim::DirectionMode::kAlternate;
  }
  LAPFORGE_CHECK_OK(agents::ApplyDeepRacerSettings(sources.deepracer, options));
  if (!sources.deepracer.empty()) options.run.deepracer_workers = 1;
  if (!sources.options_file.empty()) {
    LAPFORGE_CHECK_OK(agents::MergeTrainOptionsFile(sources.options_file, options));
    for (std::string* path : {&options.run.track, &options.sim.car}) {
      ResolveBeside(sources.options_file, *path);
    }
    for (std::string& path : options.run.more_tracks) ResolveBeside(sources.options_file, path);
    for (const KeptFile& file : KeptFilesOf(options.reward)) {
      ResolveBeside(sources.options_file, *file.path);
    }
  }
  for (const std::string& assignment : sources.assignments) {
    LAPFORGE_CHECK_OK(ApplyAssignment(assignment, options));
  }
  if (!sources.tracks.empty()) {
    options.run.track = sources.tracks.front();
    options.run.more_tracks.assign(sources.tracks.begin() + 1, sources.tracks.end());
  }
  const bool ppo_follows = sources.method == kDistillThenPpo;
  for (const auto& [path, word] :
       {std::pair("run.method", ppo_follows ? "distill" : sources.method),
        std::pair("net.device", sources.device), std::pair("net.precision", sources.precision)}) {
    if (!word.empty()) LAPFORGE_CHECK_OK(SetOption(options, path, word));
  }
  if (!sources.reward_file.empty()) {
    LAPFORGE_CHECK_OK(CheckOneReward(sources));
    SetRewardFile(sources.reward_file, options.reward);
  }
  if (sources.seed && !SetOption(options, "seed", *sources.seed).ok()) {
    return ErrorOf("--seed ", *sources.seed, ": expected a whole number, 0 .. ",
                   std::numeric_limits<uint64_t>::max());
  }
  // roads of several widths have neither walls nor several cars
  sim::SimOptions& sim = options.sim;
  if (sources.is_randomised && sim.randomize.track_width_frac == kRandomisedWidthFrac &&
      (sim.walls || sim.cars_per_world > 1)) {
    sim.randomize.track_width_frac = 0;
  }
  if (sources.total_env_steps) options.run.total_env_steps = *sources.total_env_steps;
  if (sources.max_time_s) options.run.max_time_s = *sources.max_time_s;
  if (sources.max_reward_errors) options.reward.max_errors = *sources.max_reward_errors;
  if (!sources.reward_log.empty()) options.reward.log_file = sources.reward_log;
  if (!sources.until.empty()) options.run.until = sources.until;
  if (ppo_follows && options.distill.then_ppo_env_steps == 0) {
    options.distill.then_ppo_env_steps = options.run.total_env_steps / 2;
  }
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

// Several roads, or one that varies, need many times the steps (spec/learning.md section 6). A look
// at all of them costs more, too, and tells the same with as many steps a road in between; so does
// the patience that counts looks. A teacher that keeps all wheels on the road leaves room for what
// a student gets wrong on a road that it never saw.
void SetVarietyDefaults(size_t num_tracks, agents::TrainOptions& options) {
  constexpr size_t kFactor = 4;
  const auto spacing = static_cast<int64_t>(std::clamp<size_t>(num_tracks, kFactor, 2 * kFactor));
  options.run.total_env_steps *= kFactor;
  options.run.evaluate_every_env_steps *= spacing;
  options.distill.evaluate_every_env_steps *= spacing;
  options.distill.teacher_off_track_wheels = 1;
}

// DeepRacer's files always bring a net for images; another argument may have taken the camera away.
void LeaveCameraNet(agents::TrainOptions& options) {
  const bool is_deepracers = options.net.kind >= agents::NetKind::kDeepracerShallow;
  if (is_deepracers && !options.sim.sensors.Has(sim::SensorKind::kCamera)) {
    options.net.kind = agents::NetKind::kAuto;
  }
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

Result<void> CheckTracks(const agents::TrainOptions& options, const RunParts& parts) {
  for (const tracks::Track& track : parts.tracks) {
    if (!track.is_closed() && track.length_m() < 3 * parts.car.body_length_m) {
      return ErrorOf("track ", track.name(), " is open and ", FormatFixed(track.length_m(), 2),
                     " m long: too short for a car of ", FormatFixed(parts.car.body_length_m, 2),
                     " m");
    }
  }
  if (parts.tracks.size() > size_t(options.sim.num_envs)) {
    return ErrorOf(parts.tracks.size(), " tracks need as many cars; sim.num_envs is ",
                   options.sim.num_envs);
  }
  return {};
}

// A teacher on the simulator that is there, and a student with one of its own.
Result<void> AddStudent(RunParts& parts) {
  const agents::TrainOptions& options = parts.options;
  LAPFORGE_TRY(parts.student_sim,
               sim::VectorSim::Create(agents::StudentSimOptions(options), parts.car, parts.tracks,
                                      parts.pool.get()));
  if (options.distill.then_ppo_env_steps > 0) {
    LAPFORGE_TRY(parts.then_ppo_sim,
                 sim::VectorSim::Create(agents::ThenPpoSimOptions(options), parts.car, parts.tracks,
                                        parts.pool.get()));
  }
  LAPFORGE_TRY(
      parts.teacher_evaluator,
      agents::Evaluator::Create(agents::TeacherSimOptions(options), parts.car, parts.tracks,
                                {.num_trials = options.run.evaluation_laps}, parts.pool.get()));
  LAPFORGE_TRY(parts.learner,
               agents::Distiller::Create(
                   options, {parts.sim.get(), parts.reward.get(), parts.student_sim.get(),
                             parts.then_ppo_sim.get(), parts.pool.get()}));
  return {};
}

}  // namespace

Result<std::vector<std::string>> SplitTrackNames(const std::string& list) {
  std::vector<std::string> names;
  for (const std::string_view piece : Split(list, ',')) {
    const std::string_view name = Trim(piece);
    if (name.empty()) return ErrorOf("--tracks ", list, ": there is no name between two commas");
    const bool is_setting = name.find('=') != name.npos && name.find(':') == name.npos;
    if (is_setting && !names.empty() && StartsWith(names.back(), "generate:")) {
      names.back() += StrCat(",", name);
    } else {
      names.emplace_back(name);
    }
  }
  return names;
}

void SetRewardFile(const std::string& path, reward::RewardOptions& options) {
  options.python_file = IsCompiledReward(path) ? "" : path;
  options.plugin_file = IsCompiledReward(path) ? path : "";
}

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
  const bool is_deepracers = !options.reward.python_file.empty() || !sources.deepracer.empty();
  const bool is_distilled = agents::IsDistilled(options);
  const size_t num_tracks = 1 + options.run.more_tracks.size();
  const bool is_varied = num_tracks > 1 || sources.is_randomised;
  if (is_deepracers || is_distilled || is_varied) {
    options = agents::TrainOptions();
    if (is_deepracers) SetDeepRacerDefaults(options);
    if (is_distilled) options.reward.native.smoothness = kTeacherSmoothness;
    if (is_varied) SetVarietyDefaults(num_tracks, options);
    LAPFORGE_CHECK_OK(ApplySources(sources, options));
    if (!sources.deepracer.empty()) LeaveCameraNet(options);
  }
  if (options.run.track.empty()) options.run.track = kDefaultTrack;
  options.sim.seed = options.seed;
  LAPFORGE_CHECK_OK(agents::Validate(options));
  return CheckLists(options);
}

Result<std::vector<tracks::Track>> LoadTracks(const agents::TrainOptions& options,
                                              const sim::CarSpec& car) {
  std::vector<tracks::Track> tracks;
  LAPFORGE_TRY(tracks::Track first, LoadTrackFor(car, options.run.track));
  tracks.push_back(std::move(first));
  for (const std::string& name : options.run.more_tracks) {
    LAPFORGE_TRY(tracks::Track track, LoadTrackFor(car, name));
    tracks.push_back(std::move(track));
  }
  return tracks;
}

Result<RunParts> BuildRun(const agents::TrainOptions& options,
                          const std::vector<tracks::Track>& tracks, int num_threads) {
  RunParts parts;
  parts.options = options;
  parts.pool = std::make_unique<ThreadPool>(num_threads);
  parts.tracks = tracks;
  LAPFORGE_TRY(parts.car, sim::LoadCar(options.sim.car));
  LAPFORGE_CHECK_OK(CheckTracks(options, parts));
  LAPFORGE_CHECK_OK(CheckMemory(agents::EstimateMemory(options, tracks.size())));
  const bool is_distilled = agents::IsDistilled(options);
  LAPFORGE_TRY(parts.sim, sim::VectorSim::Create(is_distilled ? agents::TeacherSimOptions(options)
                                                              : agents::TrainerSimOptions(options),
                                                 parts.car, tracks, parts.pool.get()));
  LAPFORGE_CHECK_OK(CheckRewardLog(options.reward));
  LAPFORGE_TRY(parts.reward, reward::MakeReward(options.reward, parts.sim->tracks()));
  if (options.run.deepracer_workers > 0) {
    auto traced = std::make_unique<agents::TracedReward>(std::move(parts.reward), parts.sim.get(),
                                                         options.run.deepracer_workers);
    parts.traced_reward = traced.get();
    parts.reward = std::move(traced);
  }
  LAPFORGE_TRY(parts.evaluator, agents::Evaluator::Create(
                                    options.sim, parts.car, tracks,
                                    {.num_trials = options.run.evaluation_laps}, parts.pool.get()));
  if (is_distilled) {
    LAPFORGE_CHECK_OK(AddStudent(parts));
  } else {
    LAPFORGE_CHECK_OK(UseEyesOnDevice(options.net, *parts.sim));
    LAPFORGE_TRY(parts.learner, agents::Trainer::Create(options, parts.sim.get(),
                                                        parts.reward.get(), parts.pool.get()));
  }
  return parts;
}

Result<StoredRun> ReadStoredRun(const agents::RunFolder& folder) {
  agents::TrainOptions options;
  LAPFORGE_CHECK_OK(
      agents::MergeTrainOptionsFile((folder.path() / kOptionsFile).string(), options));
  LAPFORGE_CHECK_OK(agents::Validate(options));
  for (const KeptFile& file : KeptFilesOf(options.reward)) {
    if (!file.path->empty()) *file.path = (folder.path() / file.name).string();
  }
  std::vector<tracks::Track> tracks;
  for (size_t i = 0; i <= options.run.more_tracks.size(); ++i) {
    const std::string& name = i == 0 ? options.run.track : options.run.more_tracks[i - 1];
    LAPFORGE_TRY(const std::string rows, folder.ReadText(TrackFile(i)));
    const Result<tracks::Track> track = tracks::ParseNpyTrack(rows, name);
    if (!track.ok()) {
      return ErrorOf(folder.path() / TrackFile(i), " is damaged: ", track.error().message);
    }
    tracks.push_back(*track);
  }
  return StoredRun{std::move(options), std::move(tracks)};
}

Result<void> CheckInputs(const OptionSources& sources, const agents::RunFolder& folder) {
  // runs of earlier versions have no hashes
  std::string hashes;
  if (folder.Has(kHashFile)) {
    LAPFORGE_TRY(hashes, folder.ReadText(kHashFile));
  }
  for (const std::string_view line : Split(hashes, '\n')) {
    if (line.size() <= kHashDigits + 2) continue;
    const std::string name(line.substr(kHashDigits + 2));
    LAPFORGE_TRY(const std::string content, folder.ReadText(name));
    if (hashes.find(HashLine(content, name)) != hashes.npos) continue;
    return ErrorOf(folder.path() / name,
                   " has changed since the run began; bring it back, or start a new run with it");
  }

  for (size_t i = 0; i < sources.tracks.size(); ++i) {
    const std::string& name = sources.tracks[i];
    LAPFORGE_TRY(const tracks::Track track, tracks::LoadTrack(name));
    LAPFORGE_CHECK_OK(
        CheckSame("--track " + name, tracks::TrackToNpy(track), folder, TrackFile(i).c_str()));
  }
  return {};
}

Result<bool> NamesNewReward(const OptionSources& sources, const agents::RunFolder& folder) {
  if (sources.reward_file.empty()) return false;
  LAPFORGE_TRY(const std::string source, ReadFile(sources.reward_file));
  const Result<void> same =
      CheckSame("--reward " + sources.reward_file, source, folder,
                IsCompiledReward(sources.reward_file) ? kPluginFile : kRewardFile);
  if (same.ok()) return false;
  if (!folder.Has(kRewardFile) && !folder.Has(kPluginFile)) return same.error();
  return true;
}

Result<void> StoreRewardStop(const std::string& message, agents::RunFolder& folder) {
  return folder.WriteText(kRewardErrorsFile, message + "\n");
}

Result<void> StoreRun(const agents::TrainOptions& options, const std::vector<tracks::Track>& tracks,
                      const agents::DeepRacerPaths& deepracer_paths, agents::RunFolder& folder) {
  std::string hashes;
  reward::RewardOptions reward = options.reward;
  for (const KeptFile& file : KeptFilesOf(reward)) {
    if (file.path->empty()) continue;
    LAPFORGE_TRY(const std::string content, ReadFile(*file.path));
    LAPFORGE_CHECK_OK(folder.WriteText(file.name, content));
    hashes += HashLine(content, file.name);
  }
  if (!reward.python_file.empty()) {
    LAPFORGE_CHECK_OK(StoreRewardModules(reward.python_file, folder, hashes));
  }
  for (const auto& [path, name] :
       {std::pair(deepracer_paths.metadata, kMetadataFile),
        std::pair(deepracer_paths.hyperparameters, kHyperparametersFile)}) {
    if (path.empty()) continue;
    LAPFORGE_TRY(const std::string content, ReadFile(path));
    LAPFORGE_CHECK_OK(folder.WriteText(name, content));
  }
  for (size_t i = 0; i < tracks.size(); ++i) {
    const std::string rows = tracks::TrackToNpy(tracks[i]);
    LAPFORGE_CHECK_OK(folder.WriteText(TrackFile(i), rows));
    hashes += HashLine(rows, TrackFile(i));
  }
  LAPFORGE_CHECK_OK(folder.WriteText(kHashFile, hashes));
  LAPFORGE_CHECK_OK(StoreOptions(options, folder));
  return folder.Has(kRewardErrorsFile) ? folder.WriteText(kRewardErrorsFile, "") : Result<void>();
}

// The files they name are the copies in the folder, wherever the folder goes.
Result<void> StoreOptions(const agents::TrainOptions& options, agents::RunFolder& folder) {
  agents::TrainOptions stored = options;
  for (const KeptFile& file : KeptFilesOf(stored.reward)) {
    if (!file.path->empty()) *file.path = file.name;
  }
  return folder.WriteText(kOptionsFile, OptionsToText(stored));
}

std::string FreshRunPath(const std::string& track_name) {
  const std::string stem = "runs/" + FileNameFrom(track_name) + "-";
  int number = 1;
  while (std::filesystem::exists(StrCat(stem, number))) ++number;
  return StrCat(stem, number);
}

}  // namespace lapforge::cli
