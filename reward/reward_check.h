// What a coach would say of a reward function before a night is spent on it: drives real laps with
// the built-in driver, well and badly, and watches the function at work.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/car.h"
#include "sim/sim_options.h"
#include "tracks/track.h"

namespace lapforge::reward {

struct RewardCheckOptions {
  std::string python_file;
  tracks::Track track;  // functions with waypoints of their own need the track they were made for
  sim::CarSpec car;
  sim::FactsInstant facts = sim::FactsInstant::kDeepracer;
  int num_objects = 0;     // boxes on the road in all drives, 0 .. sim::kMaxObjects
  double discount = 0.99;  // 0 .. 1, for the discounted returns of laps
};

enum class RewardSeverity { kError, kWarning, kNote };

// "error", "warning" or "note".
const char* RewardSeverityName(RewardSeverity severity);

struct RewardFinding {
  RewardSeverity severity = RewardSeverity::kNote;
  int line = 0;         // of the file; 0: the whole function, or named in the message
  std::string message;  // one sentence
};

// What the function paid for one drive. Figures are 0 where no step was paid.
struct RewardedDrive {
  std::string name;  // "fast lap"
  int num_steps = 0;
  double lap_time_s = 0;  // 0: no lap was completed
  double min_reward = 0;  // of a step
  double mean_reward = 0;
  double max_reward = 0;
  double total_reward = 0;
  double discounted_return = 0;  // from the first step to the last

  bool is_lap() const { return lap_time_s > 0; }
};

// One branch of the file's functions, and how often it was taken.
struct RewardBranch {
  int line = 0;
  std::string text;
  double share = 0;  // of all calls, 0 .. 1
};

inline constexpr std::array<int, 7> kRewardQuantilesPct = {0, 5, 25, 50, 75, 95, 100};

struct RewardCheckReport {
  std::vector<RewardFinding> findings;  // errors first
  std::vector<RewardedDrive> drives;
  std::array<double, 7> reward_quantiles{};  // over the steps of all drives
  std::vector<RewardBranch> branches;
  std::vector<std::string> keys_read;    // sorted; in any call
  std::vector<std::string> keys_unread;  // the other keys there are, sorted
  int num_calls = 0;
  double us_per_call = 0;  // the function and its params, without the watching

  int CountOf(RewardSeverity severity) const;
};

// Loads the file, drives and reports. An error where the file cannot be read, does not parse or
// holds no reward_function: the same line that training would stop with. What goes wrong in a call
// is a finding. A call that takes more than 5 s is broken off.
Result<RewardCheckReport> CheckReward(const RewardCheckOptions& options);

// The two validators that users meet: the console's, also in DeepRacer for Cloud's simapp, and that
// of DeepRacer on AWS, which also lints the layout.
enum class ConsoleVariant { kConsole, kDroa };

struct ConsoleVerdict {
  std::string records_json = "[]";  // a list of {type, message, line, lineNumber}; empty: it passes
  bool is_accepted = true;
  bool is_linted = true;  // false where flake8 is not installed: then its rules were not checked
};

// Applies spec/deepracer.md 1.6 to the file. Errors: the file cannot be read.
Result<ConsoleVerdict> ValidateAsConsole(const std::string& python_file, const tracks::Track& track,
                                         ConsoleVariant variant);

}  // namespace lapforge::reward
