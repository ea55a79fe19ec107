// From the facts of a step to rewards: pure functions of StepFacts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/base/option_fields.h"
#include "sim/base/result.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::reward {

// A mean over the envs of one part of the reward, for the log ("reward/<name>").
struct RewardTerm {
  std::string name;
  double mean = 0;
};

// Facts of all envs in, one reward each out. Implementations may keep state between calls (a user's
// Python globals); call from one thread at a time.
class RewardFunction {
 public:
  virtual ~RewardFunction() = default;

  // `rewards` has facts.size() entries, written in order. An error carries the message for the user
  // (file, line, cause); rewards written before it are valid.
  virtual Result<void> Evaluate(std::span<const sim::StepFacts> facts,
                                std::span<float> rewards) = 0;

  // Means of the terms over all steps since the last call; empty where there are no terms.
  virtual std::vector<RewardTerm> TakeTermMeans() { return {}; }
};

// r = 0.1 * (progress - 5 * off - smoothness * |steering change| + ...), spec/learning.md section 3.
struct NativeRewardOptions {
  double scale = 0.1;
  double progress_per_m = 3.745;    // 1 / 0.267 m, the way at 4 m/s in a 15 Hz step
  double off_track_penalty = 5;     // once, when all four wheels are off
  double smoothness = 0;            // times |steering action change|; 0.5 for teachers
  double center = 0;                // times (1 - (offset / half width)^2), per step
  double speed_per_mps = 0;         // times measured speed, per step
};

struct RewardOptions {
  // Path of a Python file with `reward_function(params)`; empty: the native reward.
  std::string python_file;
  NativeRewardOptions native;
};

void VisitFields(RewardOptions& options, FieldVisitor& visitor);

std::unique_ptr<RewardFunction> MakeNativeReward(const NativeRewardOptions& options,
                                                 std::span<const tracks::Track> tracks);

// The user's Python file, run in this process (spec/deepracer.md 1.2 to 1.5). `tracks` are
// VectorSim::tracks(). One interpreter serves the process; each call makes its own module copy.
// Errors name the file, the line and the cause.
Result<std::unique_ptr<RewardFunction>> LoadPythonReward(const std::string& path,
                                                         std::span<const tracks::Track> tracks,
                                                         const sim::CarSpec& car);

// Python or native, as the options say.
Result<std::unique_ptr<RewardFunction>> MakeReward(const RewardOptions& options,
                                                   std::span<const tracks::Track> tracks,
                                                   const sim::CarSpec& car);

}  // namespace lapforge::reward
