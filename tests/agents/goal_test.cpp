// Tests goals: what they say, when they are met, what is wrong with them.
#include "agents/goal/goal.h"

#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

// Laps of 5 s and 7 s, and one that ended half-way.
Evaluation Laps(int num_clean) {
  Evaluation evaluation;
  sim::LapResult lap;
  lap.is_clean = true;
  lap.lap_time_us = 5000000;
  lap.completion_pct = 100;
  lap.reason = sim::EndReason::kLapComplete;
  evaluation.laps.assign(2, lap);
  evaluation.laps[1].lap_time_us = 7000000;
  if (num_clean < 2) {
    lap = sim::LapResult();
    lap.completion_pct = 50;
    lap.reason = sim::EndReason::kOffTrack;
    evaluation.laps[1] = lap;
  }
  return evaluation;
}

bool IsMet(const std::string& goal, int num_clean) {
  return ValueOf(ParseGoal(goal)).IsMetBy(Laps(num_clean));
}

TEST_CASE("a goal is met where all its conditions are") {
  CHECK(IsMet("completion>=100", 2));
  CHECK_FALSE(IsMet("completion>=100", 1));
  CHECK(IsMet("completion >= 75", 1));
  CHECK_FALSE(IsMet("completion>=75.1", 1));
  CHECK(IsMet("clean>=50", 1));
  CHECK_FALSE(IsMet("clean>=51", 1));
  CHECK(IsMet("lap_time<=6", 2));
  CHECK_FALSE(IsMet("lap_time<=5.99", 2));
  CHECK(IsMet("lap_time>=6", 2));
  CHECK(IsMet("clean>=100 and lap_time<=6.5", 2));
  CHECK_FALSE(IsMet("clean>=100 and lap_time<=5.5", 2));
}

TEST_CASE("a set that is not all clean has no lap time") {
  CHECK_FALSE(IsMet("lap_time<=1000", 1));
  CHECK_FALSE(IsMet("lap_time>=0", 1));
  CHECK_FALSE(ValueOf(ParseGoal("completion>=0")).IsMetBy(Evaluation()));
}

TEST_CASE("evaluations in a row are counted as asked") {
  CHECK(ValueOf(ParseGoal("clean>=100")).num_evaluations == 1);
  CHECK(ValueOf(ParseGoal("clean>=100 for 3 evals")).num_evaluations == 3);
  CHECK(ValueOf(ParseGoal(" clean>=100 and completion<=7 for 1 evaluation ")).num_evaluations == 1);
  CHECK(ValueOf(ParseGoal("clean>=100 for 12")).num_evaluations == 12);
}

TEST_CASE("a goal that no evaluation can meet is refused") {
  for (const char* const text :
       {"clean>=101", "completion >= 100.5", "lap_time<=5 and clean>=200"}) {
    const Result<Goal> goal = ParseGoal(text);
    REQUIRE_FALSE(goal.ok());
    CHECK(goal.error().message.find("at most 100 %") != std::string::npos);
  }
  CHECK(ParseGoal("clean<=101").ok());
}

std::string GoalError(const std::string& text) {
  const Result<Goal> goal = ParseGoal(text);
  REQUIRE_FALSE(goal.ok());
  return goal.error().message;
}

TEST_CASE("what is wrong with a goal is quoted") {
  CHECK(GoalError("complation>=100") ==
        "'complation': expected completion, clean or lap_time (did you mean 'completion'?)");
  CHECK(GoalError("lap_time<4") ==
        "'lap_time<4': expected a measure, >= or <=, and a number, as in lap_time<=4.6");
  CHECK(GoalError("clean>=all") == "'all': expected a number that is not negative");
  CHECK(GoalError("clean>=nan") == "'nan': expected a number that is not negative");
  CHECK(GoalError("clean>=100 for no evals") == "'for no evals': expected as in 'for 3 evals'");
  CHECK(GoalError("clean>=100 for 0 evals") == "'for 0 evals': expected as in 'for 3 evals'");
  for (const char* text : {"", " ", "and", "clean>=100 and", "clean>=100 and  and clean>=1", ">=1",
                           "clean=>100", "clean>="}) {
    CAPTURE(text);
    CHECK_FALSE(ParseGoal(text).ok());
  }
}

}  // namespace
}  // namespace lapforge::agents
