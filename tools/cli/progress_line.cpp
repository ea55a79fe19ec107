#include "tools/cli/progress_line.h"

#include <unistd.h>

#include <cstdio>

#include "sim/base/strings.h"
#include "tools/cli/train_display.h"

namespace lapforge::cli {
namespace {

constexpr std::chrono::milliseconds kRedrawPeriod{500};

}  // namespace

ProgressLine::ProgressLine(bool is_quiet)
    : is_shown_(!is_quiet && isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      next_draw_(start_ + kRedrawPeriod) {}

ProgressLine::~ProgressLine() {
  if (has_line_) std::fprintf(stderr, "\r\033[K");
}

void ProgressLine::Show(size_t num_done, size_t num_all, std::string_view what) {
  if (!is_shown_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kRedrawPeriod;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string line = StrCat(WithThousands(static_cast<int64_t>(num_done)), " of ",
                                  WithThousands(static_cast<int64_t>(num_all)), " ", what, ", ",
                                  FormatFixed(seconds, 0), " s");
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  has_line_ = true;
}

}  // namespace lapforge::cli
