// From command lines and run folders to the objects of a run: the only place that wires them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/evaluation.h"
#include "agents/run_folder.h"
#include "agents/train_options.h"
#include "agents/trainer.h"
#include "reward/reward_function.h"
#include "sim/base/result.h"
#include "sim/base/thread_pool.h"
#include "sim/car.h"
#include "sim/vector_sim.h"
#include "tracks/track.h"

namespace lapforge::cli {

// What a person typed about options, strongest last: preset, file, --set, the flags. Relative paths
// in the file mean files beside it, where there are such, else from the working folder.
struct OptionSources {
  std::string preset;
  std::string options_file;
  std::vector<std::string> assignments;  // "ppo.learning_rate=3e-4"
  std::string track;
  std::string reward_file;
  std::optional<std::string> seed;
  std::optional<int64_t> total_env_steps;
  std::optional<double> max_time_s;
  std::string until;
};

// The options of a new run. A Python reward brings DeepRacer's rules as defaults (its facts, one
// lap an episode); what the sources say wins over that.
Result<agents::TrainOptions> ResolveOptions(const OptionSources& sources);

// "key=value" over options; the message names the key.
Result<void> ApplyAssignment(const std::string& assignment, agents::TrainOptions& options);

// Everything a run works with, in order of construction.
struct RunParts {
  agents::TrainOptions options;
  std::unique_ptr<ThreadPool> pool;
  std::vector<tracks::Track> tracks;
  sim::CarSpec car;
  std::unique_ptr<sim::VectorSim> sim;
  std::unique_ptr<reward::RewardFunction> reward;
  std::unique_ptr<agents::Trainer> trainer;
  std::unique_ptr<agents::Evaluator> evaluator;
};

// Builds the parts of a run that drives `track`.
Result<RunParts> BuildRun(const agents::TrainOptions& options, const tracks::Track& track,
                          int num_threads);

// What a run folder says of itself: options and the track as it was read.
struct StoredRun {
  agents::TrainOptions options;  // reward.python_file points into the folder
  tracks::Track track;
};
Result<StoredRun> ReadStoredRun(const agents::RunFolder& folder);

// An error where the reward or the track in the folder is no longer what the run began with, or
// where the sources name another one: what goes on must learn from the same.
Result<void> CheckInputs(const OptionSources& sources, const agents::RunFolder& folder);

// Writes options, track and reward source of a new run into its folder.
Result<void> StoreRun(const agents::TrainOptions& options, const tracks::Track& track,
                      agents::RunFolder& folder);

// Replaces the options of a run that goes on with others.
Result<void> StoreOptions(const agents::TrainOptions& options, agents::RunFolder& folder);

// "runs/<track>-1", with the first number that is free.
std::string FreshRunPath(const std::string& track_name);

}  // namespace lapforge::cli
