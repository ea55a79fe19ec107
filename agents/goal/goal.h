// A goal at which a run may stop: "completion>=100 for 3 evals".
#pragma once

#include <string_view>
#include <vector>

#include "agents/evaluation.h"
#include "sim/base/result.h"

namespace lapforge::agents {

enum class GoalMeasure {
  kCompletion,  // mean over the laps, percent
  kClean,       // laps that are clean, percent
  kLapTime,     // mean, seconds; met by sets that are all clean only
};

struct GoalCondition {
  GoalMeasure measure = GoalMeasure::kCompletion;
  bool is_at_least = true;  // else at most
  double bound = 0;
};

// All conditions, in as many evaluations in a row.
struct Goal {
  std::vector<GoalCondition> conditions;
  int num_evaluations = 1;

  bool IsMetBy(const Evaluation& evaluation) const;
};

// Conditions joined by "and": a measure (completion, clean, lap_time), >= or <=, a number; at the
// end perhaps "for N evals". The message quotes what is wrong and says what was expected.
Result<Goal> ParseGoal(std::string_view text);

}  // namespace lapforge::agents
