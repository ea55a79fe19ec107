// Wall time, for logs, displays and limits that a person sets: never in a step.
#pragma once

#include <chrono>

namespace lapforge {

/// Runs from its construction on.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace lapforge
