// Work with a user's code that may crash, hang or eat all memory, done where that harms nobody.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"

namespace lapforge::reward {

struct GuardOptions {
  std::vector<std::string> files;  // the user's, to find the line where it ended
  double timeout_s = 600;          // of all the work
  int memory_limit_mb = 2048;      // that it may take beyond what the program has now; 0: no limit
};

/// Does `work` in a copy of this process and returns its exit code. What it prints to stdout comes
/// out of this process, once it is done; stderr at once, and with it what the user's code writes to
/// descriptor 1. Nothing that the copy started is left, also after Ctrl-C, which ends with code
/// 130. Call it before this process has other threads. Errors: the copy crashed, ended itself, took
/// too long or too much memory: one line, with the place in the user's file where that can be
/// known.
Result<int> RunGuarded(const GuardOptions& options, const std::function<int()>& work);

/// While one lives, the user's code is in a call. Where RunGuarded watches this process it ends
/// after `limit_s`, and `what` ("step 3 of the slow lap") is told of one that does not come back.
class WatchedCall {
 public:
  WatchedCall(double limit_s, std::string_view what);
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;
};

}  // namespace lapforge::reward
