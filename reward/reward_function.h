// From the facts of a step to rewards: pure functions of StepFacts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/base/option_fields.h"
#include "sim/base/result.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::reward {

/// One part of the reward, averaged for the log ("reward/<name>").
struct RewardTerm {
  std::string name;
  double mean = 0;
};

/// A user's function failed for one env.
struct RewardFailure {
  size_t index = 0;      // into the facts
  std::string message;   // one line: file, line, cause
  bool is_told = false;  // the log has it already
};

/// The failures of one call, by index. A caller that stops after so many anyhow says so: a function
/// that fails for every env may fail slowly.
struct RewardFailures {
  std::vector<RewardFailure> list;
  size_t enough = SIZE_MAX;  // at least 1; with so many, envs that follow may be left out
};

/// Episodes that ended because a user's function failed with this message.
struct RewardErrorCount {
  std::string message;
  int64_t num_episodes = 0;
};

/// Facts of all envs in, one reward each out. A step that ended in a fault (kFault) is worth 0
/// whatever the function. Implementations may keep state between calls (a user's Python globals);
/// call from one thread at a time.
class RewardFunction {
 public:
  virtual ~RewardFunction() = default;

  /// `rewards` has facts.size() entries, written in order. An error carries the message for the
  /// user (file, line, cause); rewards written before it are valid, and the next call works.
  virtual Result<void> Evaluate(std::span<const sim::StepFacts> facts,
                                std::span<float> rewards) = 0;

  /// The same for callers to whom a failure is data: an env whose reward fails gets 0 and an entry
  /// of `failures`, which comes in empty, and the others go on. An error is what concerns all: a
  /// user's function was interrupted. Unless overridden, every failure is such an error.
  virtual Result<void> EvaluateEach(std::span<const sim::StepFacts> facts, std::span<float> rewards,
                                    RewardFailures& failures);

  /// Means of the terms over all steps since the last call, in a fixed order; their sum is the mean
  /// reward. Empty where there are no terms or no steps.
  virtual std::vector<RewardTerm> TakeTermMeans() { return {}; }
};

/// scale * the sum of the terms, spec/learning.md section 3. A factor of 0 leaves its term out.
struct NativeRewardOptions {
  double scale = 0.1;              // keeps value targets near 1 for a shared trunk
  double progress_per_m = 3.745;   // 1 / 0.267 m, the way at 4 m/s in a 15 Hz step
  double off_track_penalty = 5;    // when all four wheels are off, which ends the episode
  double smoothness = 0;           // times |change of the steering action|; 0.5 for teachers
  double center = 0;               // times 1 - (offset / half width)^2, never below 0, per step
  double speed_per_mps = 0;        // times the measured speed in the plane, per step
  double heading = 0;              // times the cosine of the heading error, per step
  double termination_penalty = 0;  // when the episode terminates: off track, crashed, stuck, ...
  double lap_bonus = 0;            // when a lap completes
  double raceline = 0;        // times 1 - (distance to the line / half width)^2, never below 0, per
                              // step; the distance is measured across the road
  std::string raceline_file;  // for it: CSV of `lapforge track raceline`
};

/// Which reward to use.
struct RewardOptions {
  std::string python_file;     // path of a file with `reward_function(params)`; empty: native
  std::string plugin_file;     // path of a compiled reward (lapforge_reward.h), instead of Python
  NativeRewardOptions native;  // used without files
  int max_errors = 20;   // episodes that errors of the Python file may end; the last one stops
                         // the training
  int workers = 0;       // processes that run the Python file; 0: this one. They bring what it
                         // does under the limits below, and survive it; same rewards
  double timeout_s = 5;  // of a call in a worker; 0.1 or more
  double load_timeout_s = 60;  // of a worker that loads the file, with all that it imports
  int memory_limit_mb = 2048;  // that a worker may take for the file, beyond Python; 0: no limit
  std::string log_file;        // all that the Python file prints is appended to it; empty: nowhere

  // The user's file, Python or compiled; empty: native.
  const std::string& file() const { return python_file.empty() ? plugin_file : python_file; }
};

/// Lists every field once, with its range.
void VisitFields(RewardOptions& options, FieldVisitor& visitor);

/// The weighted sum of terms that `options` describe; without a racing line, see MakeReward.
std::unique_ptr<RewardFunction> MakeNativeReward(const NativeRewardOptions& options);

/// The user's Python file, run in this process (spec/deepracer.md 1.2 to 1.5). `tracks` are
/// VectorSim::tracks(); they are copied. One interpreter, started by the first call, serves the
/// process until its end. The file is run once for each env, at the env's first step (for env 0
/// here), so every car has globals of its own, as each worker of DeepRacer has; they last as long
/// as the reward. What the file prints goes to the log, its first lines only. Errors name the file,
/// the line and the cause.
Result<std::unique_ptr<RewardFunction>> LoadPythonReward(const std::string& path,
                                                         std::span<const tracks::Track> tracks);

/// A file that a user's Python file imports from beside it.
struct RewardModule {
  std::string name;  // below the folder of a copy of the file: "reward_modules/helper.py"
  std::string path;
};

/// All such files, found in the sources, also in those of the modules. A copy of the file that has
/// these copies beside it does what the file does. Runs nothing.
Result<std::vector<RewardModule>> FindRewardModules(const std::string& python_file);

/// Makes a user's Python function, or file, that is running now fail at the line where it is: for
/// one that does not come back, in the thread that loaded the first Python reward. For signal
/// handlers and other threads. Where nothing runs, nothing happens.
void InterruptPython();

/// A reward that the user compiled (lapforge_reward.h). Errors: the file cannot be loaded, misses a
/// function, was compiled for another version, or says itself what is wrong.
Result<std::unique_ptr<RewardFunction>> LoadPluginReward(const std::string& path,
                                                         std::span<const tracks::Track> tracks);

/// Python, compiled or native, as the options say.
Result<std::unique_ptr<RewardFunction>> MakeReward(const RewardOptions& options,
                                                   std::span<const tracks::Track> tracks);

}  // namespace lapforge::reward
