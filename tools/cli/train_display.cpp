#include "tools/cli/train_display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "sim/base/log.h"
#include "sim/base/strings.h"

namespace lapforge::cli {
namespace {

constexpr std::chrono::milliseconds kRedrawPeriod{100};  // faster flickers
constexpr std::chrono::seconds kLinePeriod{1};           // evaluations come several a second

std::string Padded(const std::string& text, size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

// A line that fits: a longer one would wrap, and the next one leave half of it behind.
size_t TerminalColumns() {
  winsize size{};
  const bool is_known = ioctl(fileno(stdout), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col - 1 : 200;
}

// Pieces side by side, as many as fit; the first one whatever happens.
std::string Fitted(const std::vector<std::string>& pieces, size_t num_columns) {
  std::string line = pieces.front().substr(0, num_columns);
  for (size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].empty() || line.size() + 2 + pieces[i].size() > num_columns) continue;
    line += "  " + pieces[i];
  }
  return line;
}

// "42 s", "12 min", "3.5 h"
std::string DurationText(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (seconds < 2 * kMinute) return FormatFixed(seconds, 0) + " s";
  if (seconds < 2 * kHour) return FormatFixed(seconds / kMinute, 0) + " min";
  return FormatFixed(seconds / kHour, 1) + " h";
}

int BarCells(size_t num_columns) { return num_columns < 60 ? 4 : num_columns < 100 ? 8 : 20; }

std::string Bar(double done_frac, int num_cells) {
  const int num_full = static_cast<int>(std::clamp(done_frac, 0.0, 1.0) * num_cells);
  return "[" + std::string(static_cast<size_t>(num_full), '#') +
         std::string(static_cast<size_t>(num_cells - num_full), '.') + "]";
}

}  // namespace

std::string WithThousands(int64_t number) {
  std::string digits = std::to_string(number);
  const int first = number < 0 ? 1 : 0;
  for (int at = static_cast<int>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

TrainDisplay::TrainDisplay(const agents::TrainOptions& options, bool is_quiet)
    : run_(options.run),
      is_distilled_(agents::IsDistilled(options)),
      is_quiet_(is_quiet),
      is_terminal_(isatty(fileno(stdout)) == 1) {
  SetLogSink([this](LogLevel, std::string_view line) {
    ClearLine();
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  });
}

TrainDisplay::~TrainDisplay() {
  SetLogSink({});
  ClearLine();
}

void TrainDisplay::OnIteration(const agents::IterationStats& stats, double train_s) {
  if (session_start_env_steps_ < 0) {
    session_start_env_steps_ = stats.env_steps - stats.new_env_steps;
    session_start_s_ = train_s - stats.collect_s - stats.update_s;
  }
  const Clock::time_point now = Clock::now();
  if (is_quiet_ || !is_terminal_ || now - last_draw_ < kRedrawPeriod) return;
  last_draw_ = now;
  std::printf("\r\033[K%s", LiveLine(stats, train_s).c_str());
  std::fflush(stdout);
  has_line_ = true;
}

// Where there is but one, it needs no name.
const char* TrainDisplay::PhaseText(agents::LearningPhase phase) const {
  switch (phase) {
    case agents::LearningPhase::kReward:
      return is_distilled_ ? "reward   " : "";
    case agents::LearningPhase::kTeacher:
      return "teacher  ";
    case agents::LearningPhase::kStudent:
      return "student  ";
  }
  return "";
}

std::string TrainDisplay::LiveLine(const agents::IterationStats& stats, double train_s) const {
  const double done_frac =
      static_cast<double>(stats.env_steps) / static_cast<double>(run_.total_env_steps);
  const double session_s = std::max(train_s - session_start_s_, 1e-3);
  const double rate = static_cast<double>(stats.env_steps - session_start_env_steps_) / session_s;
  double left_s = static_cast<double>(run_.total_env_steps - stats.env_steps) / rate;
  if (run_.max_time_s > 0) left_s = std::min(left_s, run_.max_time_s - train_s);
  const bool is_student = stats.phase == agents::LearningPhase::kStudent;
  const size_t num_columns = TerminalColumns();
  const std::string loss = is_student ? FormatFixed(stats.distill_loss, 4)
                                      : StrCat(FormatFixed(stats.policy_loss, 3), " / ",
                                               FormatFixed(stats.value_loss, 3));
  // what matters most comes first: a narrow terminal leaves the rest out
  return Fitted(
      {StrCat(Bar(done_frac, BarCells(num_columns)), " ", PhaseText(stats.phase),
              DurationText(train_s)),
       best_lap_time_s_ > 0 ? StrCat("best lap ", FormatFixed(best_lap_time_s_, 3), " s")
                            : StrCat("completion ", FormatFixed(stats.completion_pct, 0), " %"),
       DurationText(std::max(left_s, 0.0)) + " left",
       stats.num_reward_errors > 0
           ? StrCat(WithThousands(stats.num_reward_errors), " reward errors")
           : "",
       WithThousands(static_cast<int64_t>(rate)) + " steps/s",
       is_student ? "" : StrCat("return ", FormatFixed(stats.episode_return, 2)),
       best_lap_time_s_ > 0 ? StrCat("completion ", FormatFixed(stats.completion_pct, 0), " %")
                            : "",
       StrCat(WithThousands(stats.env_steps), " steps"), StrCat("loss ", loss)},
      num_columns);
}

void TrainDisplay::OnEvaluation(const agents::EvaluationPoint& point) {
  const bool is_teacher = point.phase == agents::LearningPhase::kTeacher;
  const bool is_first_clean = best_lap_time_s_ == 0 && !is_teacher && point.evaluation.all_clean();
  if (point.is_best) best_lap_time_s_ = point.evaluation.mean_lap_time_s();
  const Clock::time_point now = Clock::now();
  const bool is_due = now - last_line_ >= kLinePeriod;
  if (is_quiet_ || !(is_first_clean || is_due)) return;
  last_line_ = now;

  ClearLine();
  std::string line =
      StrCat(Padded(FormatFixed(point.train_s, 1), 6), " s ",
             Padded(WithThousands(point.env_steps), 11), " steps  ", PhaseText(point.phase),
             point.evaluation.num_clean(), " of ", point.evaluation.laps.size(), " laps clean");
  if (point.evaluation.all_clean()) {
    line += StrCat("  mean lap ", FormatFixed(point.evaluation.mean_lap_time_s(), 3), " s");
  } else {
    line += StrCat("  mean way ", FormatFixed(point.evaluation.mean_completion_pct(), 0), " %");
  }
  std::printf("%s%s\n", line.c_str(), point.is_best ? "  best" : "");
  std::fflush(stdout);
}

void TrainDisplay::ClearLine() {
  if (!has_line_) return;
  std::printf("\r\033[K");
  std::fflush(stdout);
  has_line_ = false;
}

}  // namespace lapforge::cli
