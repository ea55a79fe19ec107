// The user's function under watch: inspector.py seen from C++.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reward/check/drives.h"
#include "reward/reward_check.h"

namespace lapforge::reward {

// A call that raised or returned no reward, and where.
struct FailedCall {
  std::string message;  // file, line, cause: the line that training would stop with
  int drive = 0;
  int step = 0;   // of the drive, from 0
  int count = 1;  // calls that failed with the same message
};

struct SourceRemark {
  int line = 0;
  std::string text;
};

struct KeyUse {
  std::string key;
  int line = 0;
};

struct Inspection {
  std::vector<std::vector<double>> rewards;  // [drives][steps]; 0 for a failed call
  std::vector<FailedCall> failures;          // the first of each message
  std::vector<RewardBranch> branches;
  std::vector<std::string> keys_read;
  std::vector<KeyUse> keys_in_source;
  std::vector<SourceRemark> never_true;
  std::vector<SourceRemark> remarks;
  bool is_params_changed = false;
  int num_calls = 0;
  bool is_cut_short = false;  // the calls took too long for the remaining steps to be shown
  int64_t num_printed_lines = 0;
};

// Shows every step of every drive to a copy of the file of its own, one for each drive. After a
// call that failed the drive goes on; after one that did not end, or
// a minute in all, nothing is shown any more. Errors:
// what LoadPythonReward says of the file.
Result<Inspection> Inspect(const std::string& python_file, const std::vector<Drive>& drives);

// Microseconds a call, by the way that training uses; 0 where a call fails.
double MeasureCall(const std::string& python_file, const Drive& drive);

}  // namespace lapforge::reward
