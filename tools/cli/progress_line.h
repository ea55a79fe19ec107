// How far a command is that takes long.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace lapforge::cli {

// One line on a terminal's stderr, redrawn in place; nothing for a pipe or a file, or within the
// first half second.
class ProgressLine {
 public:
  explicit ProgressLine(bool is_quiet);
  ~ProgressLine();  // takes the line away
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // "1,234 of 65,536 drives have ended, 12 s"; `what` is "drives have ended".
  void Show(size_t num_done, size_t num_all, std::string_view what);

 private:
  using Clock = std::chrono::steady_clock;

  const bool is_shown_;
  const Clock::time_point start_;
  Clock::time_point next_draw_;
  bool has_line_ = false;
};

}  // namespace lapforge::cli
