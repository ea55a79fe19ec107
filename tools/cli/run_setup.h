// From command lines and run folders to the objects of a run: the only place that wires them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/deepracer/deepracer_files.h"
#include "agents/deepracer/deepracer_tree.h"
#include "agents/evaluation.h"
#include "agents/learner.h"
#include "agents/run_folder.h"
#include "agents/train_options.h"
#include "reward/reward_function.h"
#include "sim/base/result.h"
#include "sim/base/thread_pool.h"
#include "sim/car.h"
#include "sim/vector_sim.h"
#include "tracks/track.h"

namespace lapforge::cli {

// What a person typed about options, strongest last: preset, DeepRacer's files, the options file,
// --set, the flags. Relative paths in the options file mean files beside it, where there are such,
// else from the working folder.
struct OptionSources {
  std::string preset;
  agents::DeepRacerPaths deepracer_paths;
  agents::DeepRacerSettings deepracer;  // what these files say
  std::string options_file;
  std::vector<std::string> assignments;  // "ppo.learning_rate=3e-4"
  std::vector<std::string> tracks;       // the first is run.track
  std::string method;
  std::string device;     // of net.device
  std::string precision;  // of net.precision
  bool is_randomised = false;
  std::string reward_file;
  std::optional<std::string> seed;
  std::optional<int64_t> total_env_steps;
  std::optional<double> max_time_s;
  std::optional<int> max_reward_errors;
  std::string reward_log;
  std::string until;
};

// The options of a new run. A teacher's reward is smooth: what jitters cannot be imitated
// (spec/learning.md section 5). A Python reward and DeepRacer's files bring DeepRacer's rules as
// defaults (its facts, one lap an episode), several tracks and --randomise more steps; what the
// sources say wins over that.
Result<agents::TrainOptions> ResolveOptions(const OptionSources& sources);

// The names in "oval,esses"; commas within "generate:seed=7,length_m=40" separate nothing.
Result<std::vector<std::string>> SplitTrackNames(const std::string& list);

// "key=value" over options; the message names the key.
Result<void> ApplyAssignment(const std::string& assignment, agents::TrainOptions& options);

// Everything a run works with, in order of construction.
struct RunParts {
  agents::TrainOptions options;
  std::unique_ptr<ThreadPool> pool;
  std::vector<tracks::Track> tracks;
  sim::CarSpec car;
  std::unique_ptr<sim::VectorSim> sim;
  std::unique_ptr<sim::VectorSim> student_sim;   // null where nobody is taught
  std::unique_ptr<sim::VectorSim> then_ppo_sim;  // null where no PPO follows
  std::unique_ptr<reward::RewardFunction> reward;
  agents::TracedReward* traced_reward = nullptr;  // `reward`, where run.deepracer_workers asks so
  std::unique_ptr<agents::Learner> learner;
  std::unique_ptr<agents::Evaluator> evaluator;
  std::unique_ptr<agents::Evaluator> teacher_evaluator;  // null where nobody is taught
};

// The tracks that options name, for this car.
Result<std::vector<tracks::Track>> LoadTracks(const agents::TrainOptions& options,
                                              const sim::CarSpec& car);

// Builds the parts of a run that drives `tracks`.
Result<RunParts> BuildRun(const agents::TrainOptions& options,
                          const std::vector<tracks::Track>& tracks, int num_threads);

// What a run folder says of itself: options and the tracks as they were read.
struct StoredRun {
  agents::TrainOptions options;  // the reward's files are those in the folder
  std::vector<tracks::Track> tracks;
};
Result<StoredRun> ReadStoredRun(const agents::RunFolder& folder);

// An error where the reward or a track in the folder is no longer what the run began with, or
// where the sources name another track: what goes on must learn from the same.
Result<void> CheckInputs(const OptionSources& sources, const agents::RunFolder& folder);
// True where the sources name another reward, to go on with. An error for a run with the built-in
// one, whose episodes are not what reward functions expect.
Result<bool> NamesNewReward(const OptionSources& sources, const agents::RunFolder& folder);
// Names a reward by one file, Python or compiled.
void SetRewardFile(const std::string& path, reward::RewardOptions& options);

// Writes options, tracks, reward source and DeepRacer's files of a run into its folder.
Result<void> StoreRun(const agents::TrainOptions& options, const std::vector<tracks::Track>& tracks,
                      const agents::DeepRacerPaths& deepracer_paths, agents::RunFolder& folder);

// Notes in its folder that the reward has stopped a run.
Result<void> StoreRewardStop(const std::string& message, agents::RunFolder& folder);

// Replaces the options of a run that goes on with others.
Result<void> StoreOptions(const agents::TrainOptions& options, agents::RunFolder& folder);

// "runs/<track>-1", with the first number that is free.
std::string FreshRunPath(const std::string& track_name);

}  // namespace lapforge::cli
