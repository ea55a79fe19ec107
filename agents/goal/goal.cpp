#include "agents/goal/goal.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

const std::array<std::string, 3> kMeasureNames = {"completion", "clean", "lap_time"};
constexpr int64_t kMaxEvaluations = 1000000;

// "completion>=100" in pieces, without the spaces around them
struct Comparison {
  std::string_view measure;
  std::string_view sign;
  std::string_view bound;
};

std::optional<Comparison> SplitComparison(std::string_view text) {
  const size_t at = text.find_first_of("<>");
  if (at == text.npos || text.substr(at + 1, 1) != "=") return std::nullopt;
  return Comparison{Trim(text.substr(0, at)), text.substr(at, 2), Trim(text.substr(at + 2))};
}

Result<GoalCondition> ParseCondition(std::string_view text) {
  const std::optional<Comparison> comparison = SplitComparison(text);
  if (!comparison) {
    return ErrorOf("'", text, "': expected a measure, >= or <=, and a number, as in lap_time<=4.6");
  }
  const auto name = std::find(kMeasureNames.begin(), kMeasureNames.end(), comparison->measure);
  if (name == kMeasureNames.end()) {
    return ErrorOf("'", comparison->measure, "': expected completion, clean or lap_time",
                   DidYouMean(comparison->measure, kMeasureNames));
  }
  GoalCondition condition;
  condition.measure = static_cast<GoalMeasure>(name - kMeasureNames.begin());
  condition.is_at_least = comparison->sign == ">=";
  const std::optional<double> bound = ParseDouble(comparison->bound);
  if (!bound || !(*bound >= 0)) {
    return ErrorOf("'", comparison->bound, "': expected a number that is not negative");
  }
  condition.bound = *bound;
  const bool is_share = condition.measure != GoalMeasure::kLapTime;
  if (is_share && condition.is_at_least && *bound > 100) {
    return ErrorOf("'", Trim(text), "': there are at most 100 %");
  }
  return condition;
}

// Cuts "for N evals" off the end of `text`; 1 where it is not there.
Result<int> TakeNumEvaluations(std::string_view& text) {
  const size_t at = text.rfind(" for ");
  if (at == text.npos) return 1;
  std::string_view count = Trim(text.substr(at + 5));
  for (const std::string_view word : {"evaluations", "evaluation", "evals", "eval"}) {
    if (!EndsWith(count, word)) continue;
    count = Trim(count.substr(0, count.size() - word.size()));
    break;
  }
  const std::optional<int64_t> number = ParseInt64(count);
  if (!number || *number < 1 || *number > kMaxEvaluations) {
    return ErrorOf("'", Trim(text.substr(at)), "': expected as in 'for 3 evals'");
  }
  text = Trim(text.substr(0, at));
  return static_cast<int>(*number);
}

double ValueOf(GoalMeasure measure, const Evaluation& evaluation) {
  switch (measure) {
    case GoalMeasure::kCompletion:
      return evaluation.mean_completion_pct();
    case GoalMeasure::kClean:
      return 100.0 * evaluation.num_clean() / static_cast<double>(evaluation.laps.size());
    case GoalMeasure::kLapTime:
      return evaluation.mean_lap_time_s();
  }
  return 0;
}

}  // namespace

bool Goal::IsMetBy(const Evaluation& evaluation) const {
  if (evaluation.laps.empty()) return false;
  return std::all_of(conditions.begin(), conditions.end(), [&](const GoalCondition& condition) {
    if (condition.measure == GoalMeasure::kLapTime && !evaluation.all_clean()) return false;
    const double value = ValueOf(condition.measure, evaluation);
    return condition.is_at_least ? value >= condition.bound : value <= condition.bound;
  });
}

Result<Goal> ParseGoal(std::string_view text) {
  Goal goal;
  text = Trim(text);
  LAPFORGE_TRY(goal.num_evaluations, TakeNumEvaluations(text));
  constexpr std::string_view kAnd = " and ";
  while (true) {
    const size_t end = text.find(kAnd);
    LAPFORGE_TRY(const GoalCondition condition, ParseCondition(Trim(text.substr(0, end))));
    goal.conditions.push_back(condition);
    if (end == text.npos) return goal;
    text.remove_prefix(end + kAnd.size());
  }
}

}  // namespace lapforge::agents
