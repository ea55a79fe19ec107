// Tests whole runs: what they leave on disk, when they stop, and that going on loses nothing.
#include "agents/training_run.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/agents/agents_fixture.h"
#include "tests/base/temporary_folder.h"

namespace lapforge::agents {
namespace {

class CountingObserver : public TrainingObserver {
 public:
  void OnIteration(const IterationStats& stats, double) override {
    ++num_iterations;
    stop_requested = stats.iteration == stop_at_iteration;
  }
  void OnEvaluation(const EvaluationPoint& point) override { evaluations.push_back(point); }

  int num_iterations = 0;
  int64_t stop_at_iteration = -1;
  std::atomic<bool> stop_requested = false;
  std::vector<EvaluationPoint> evaluations;
};

TrainOptions RunOptionsOf(int64_t total_env_steps) {
  TrainOptions options = SmallOptions();
  options.run.total_env_steps = total_env_steps;
  options.run.evaluate_every_env_steps = 512;
  options.run.checkpoint_every_iterations = 3;
  return options;
}

// A run with all that it borrows, in a new folder or an existing one.
struct TestRun {
  TestRun(const TrainOptions& options, const std::filesystem::path& path)
      : training(options),
        evaluator(ValueOf(Evaluator::Create(options.sim, training.sim->car(), {Oval()},
                                            options.run.evaluation_laps, &training.pool))),
        folder(ValueOf(std::filesystem::exists(path) ? RunFolder::OpenForWriting(path)
                                                     : RunFolder::Create(path))),
        run({&training.options, training.trainer.get(), evaluator.get(), nullptr, folder.get(),
             &observer, &observer.stop_requested}) {
    // what makes a folder a run's
    RequireOk(folder->WriteText("options.textproto", OptionsToText(options)));
  }

  OvalTraining training;
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<RunFolder> folder;
  CountingObserver observer;
  TrainingRun run;
};

// Rows of a CSV file, cells as they are; the header first.
std::vector<std::vector<std::string>> RowsOf(const RunFolder& folder, const std::string& name) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream text(ValueOf(folder.ReadText(name)));
  for (std::string line; std::getline(text, line);) {
    std::vector<std::string> cells;
    for (const std::string_view cell : Split(line, ',')) cells.emplace_back(cell);
    rows.push_back(cells);
  }
  return rows;
}

TEST_CASE("a run leaves metrics, evaluations, policies and a checkpoint") {
  const TemporaryFolder temporary;
  TestRun test(RunOptionsOf(2048), temporary.path() / "run");
  CHECK_FALSE(ValueOf(test.run.Resume()));
  const TrainingSummary summary = ValueOf(test.run.Run());

  CHECK(summary.reason == StopReason::kBudget);
  CHECK(summary.env_steps == 2048);
  CHECK(summary.progress.train_s > 0);
  CHECK(test.observer.num_iterations == 8);

  // at the first iteration from 0, 256 + 512, 768 + 512, ... steps on, and at the last
  const std::vector<int64_t> expected = {256, 768, 1280, 1792, 2048};
  const auto evaluations = RowsOf(*test.folder, "evaluations.csv");
  REQUIRE(evaluations.size() == expected.size() + 1);
  CHECK(evaluations[0][0] == "env_steps");
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(std::stoll(evaluations[i + 1][0]) == expected[i]);
    CHECK(test.observer.evaluations.at(i).env_steps == expected[i]);
  }
  const auto metrics = RowsOf(*test.folder, "metrics.csv");
  REQUIRE(metrics.size() == 8 + 1);
  CHECK(metrics[0][0] == "env_steps");
  for (size_t i = 1; i < metrics.size(); ++i) {
    CHECK(std::stoll(metrics[i][0]) == int64_t(256 * i));
    CHECK(metrics[i].size() == metrics[0].size());
  }

  // the best policy is that of the evaluation marked last as the best
  int64_t best_env_steps = -1;
  for (const EvaluationPoint& point : test.observer.evaluations) {
    if (point.is_best) best_env_steps = point.env_steps;
  }
  CHECK(summary.progress.best_env_steps == best_env_steps);
  CHECK(ValueOf(LoadPolicy(test.folder->path() / "best.policy")).env_steps == best_env_steps);
  CHECK(ValueOf(LoadPolicy(test.folder->path() / "last.policy")).env_steps == 2048);
  const auto checkpoint = ValueOf(test.folder->LoadCheckpoint());
  REQUIRE(checkpoint.has_value());
  CHECK(checkpoint->iteration == 8);
}

TEST_CASE("a run that is asked to stop does so at once, with a checkpoint") {
  const TemporaryFolder temporary;
  TestRun test(RunOptionsOf(100000), temporary.path() / "run");
  SECTION("before it began") {
    test.observer.stop_requested = true;
    const TrainingSummary summary = ValueOf(test.run.Run());
    CHECK(summary.reason == StopReason::kInterrupted);
    CHECK(summary.env_steps == 0);
    CHECK(test.observer.num_iterations == 0);
  }
  SECTION("in the second iteration") {
    test.observer.stop_at_iteration = 2;
    const TrainingSummary summary = ValueOf(test.run.Run());
    CHECK(summary.reason == StopReason::kInterrupted);
    CHECK(summary.env_steps == 512);
    CHECK(ValueOf(LoadPolicy(test.folder->path() / "last.policy")).env_steps == 512);
  }
  CHECK(ValueOf(test.folder->LoadCheckpoint()).has_value());
}

TEST_CASE("a run stops when its time is over") {
  const TemporaryFolder temporary;
  TrainOptions options = RunOptionsOf(100000000);
  options.run.max_time_s = 1e-3;
  TestRun test(options, temporary.path() / "run");
  CHECK(ValueOf(test.run.Run()).reason == StopReason::kTime);
}

TEST_CASE("an interrupted run goes on to what it would have become") {
  const TemporaryFolder temporary;
  const TrainOptions options = RunOptionsOf(2560);
  TestRun whole(options, temporary.path() / "whole");
  const TrainingSummary expected = ValueOf(whole.run.Run());

  for (const int64_t stop_at : {1, 4, 7}) {
    TestRun first(options, temporary.path() / "parts");
    CHECK(ValueOf(first.run.Resume()) == (stop_at != 1));
    first.observer.stop_at_iteration = stop_at;
    CHECK(ValueOf(first.run.Run()).reason == StopReason::kInterrupted);
  }
  TestRun last(options, temporary.path() / "parts");
  REQUIRE(ValueOf(last.run.Resume()));
  CHECK(last.training.trainer->iteration() == 7);
  const TrainingSummary summary = ValueOf(last.run.Run());

  CHECK(last.training.trainer->ParameterHash() == whole.training.trainer->ParameterHash());
  CHECK((last.training.trainer->Save() == whole.training.trainer->Save()));
  CHECK(summary.env_steps == expected.env_steps);
  CHECK(summary.progress.best_env_steps == expected.progress.best_env_steps);
  CHECK(summary.progress.best_completion_pct == expected.progress.best_completion_pct);

  // logs without wall times, and the policies, are those of the uninterrupted run
  for (const char* name : {"metrics.csv", "evaluations.csv"}) {
    const auto rows = RowsOf(*last.folder, name);
    const auto expected_rows = RowsOf(*whole.folder, name);
    REQUIRE(rows.size() == expected_rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      for (size_t column = 0; column < rows[i].size(); ++column) {
        const std::string& title = rows[0][column];
        if (title == "train_s" || title == "time/env_steps_per_s") continue;
        CHECK(rows[i][column] == expected_rows[i][column]);
      }
    }
  }
  for (const char* name : {"best.policy", "last.policy"}) {
    CHECK((ValueOf(last.folder->ReadText(name)) == ValueOf(whole.folder->ReadText(name))));
  }
}

// Fails in the third iteration.
class FailingReward : public reward::RewardFunction {
 public:
  Result<void> Evaluate(std::span<const sim::StepFacts>, std::span<float> rewards) override {
    if (++num_steps_ > 40) return ErrorOf("reward.py:3: division by zero");
    std::fill(rewards.begin(), rewards.end(), 1.0f);
    return {};
  }

 private:
  int num_steps_ = 0;
};

TEST_CASE("a failing reward ends the run with its message, and what was learned is kept") {
  const TemporaryFolder temporary;
  TestRun test(RunOptionsOf(2048), temporary.path() / "run");
  FailingReward reward;
  const auto trainer = ValueOf(Trainer::Create(test.training.options, test.training.sim.get(),
                                               &reward, &test.training.pool));
  TrainingRun run({&test.training.options, trainer.get(), test.evaluator.get(), nullptr,
                   test.folder.get(), &test.observer, &test.observer.stop_requested});
  const auto failed = run.Run();
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message == "reward.py:3: division by zero");
  const auto checkpoint = ValueOf(test.folder->LoadCheckpoint());
  REQUIRE(checkpoint.has_value());
  CHECK(checkpoint->iteration == 2);
  CHECK(ValueOf(LoadPolicy(test.folder->path() / "last.policy")).env_steps == 512);
}

TEST_CASE("a run stops where its goal is met often enough in a row") {
  const TemporaryFolder temporary;
  TrainOptions options = RunOptionsOf(100000);
  options.run.until = "completion>=0 for 3 evals";
  {
    TestRun test(options, temporary.path() / "run");
    const TrainingSummary summary = ValueOf(test.run.Run());
    CHECK(summary.reason == StopReason::kGoal);
    CHECK(summary.env_steps == 1280);  // evaluations at 256, 768, 1280
    CHECK(summary.progress.evaluations_at_goal == 3);
  }

  // going on stops at once, unless told to learn on
  TestRun again(options, temporary.path() / "run");
  REQUIRE(ValueOf(again.run.Resume()));
  CHECK(ValueOf(again.run.Run()).env_steps == 1280);
  again.run.LearnOn();
  CHECK(ValueOf(again.run.Run()).env_steps == 2816);
}

// Pays NaN in the control steps it is told.
class NanReward : public reward::RewardFunction {
 public:
  explicit NanReward(std::vector<int> nan_steps) : nan_steps_(std::move(nan_steps)) {}
  Result<void> Evaluate(std::span<const sim::StepFacts> facts, std::span<float> rewards) override {
    const bool is_nan = std::count(nan_steps_.begin(), nan_steps_.end(), ++num_steps_) > 0;
    for (size_t env = 0; env < facts.size(); ++env) {
      rewards[env] = is_nan ? std::nanf("") : static_cast<float>(facts[env].progress_pct);
    }
    return {};
  }

 private:
  std::vector<int> nan_steps_;
  int num_steps_ = 0;
};

Result<TrainingSummary> RunWithNan(TestRun& test, std::vector<int> nan_steps) {
  NanReward reward(std::move(nan_steps));
  test.training.trainer = ValueOf(Trainer::Create(test.training.options, test.training.sim.get(),
                                                  &reward, &test.training.pool));
  TrainingRun run({&test.training.options, test.training.trainer.get(), test.evaluator.get(),
                   nullptr, test.folder.get(), &test.observer, &test.observer.stop_requested});
  return run.Run();
}

TEST_CASE("a loss that is not finite goes back to the checkpoint at half the learning rate") {
  const TemporaryFolder temporary;
  TrainOptions options = RunOptionsOf(2560);
  options.ppo.schedule = LearningRateSchedule::kConstant;
  TestRun test(options, temporary.path() / "run");
  // rollouts are 16 steps, a checkpoint comes after the third: in the second, and, eight rollouts
  // later, in the fifth of the run that began anew (whose third is the tenth of all)
  const TrainingSummary summary = ValueOf(RunWithNan(test, {20, 100}));
  CHECK(summary.env_steps == 2560);
  CHECK(summary.progress.num_rollbacks == 2);

  // each iteration is there once, in order
  const auto rows = RowsOf(*test.folder, "metrics.csv");
  const auto rate = std::find(rows[0].begin(), rows[0].end(), "train/learning_rate");
  REQUIRE(rate != rows[0].end());
  std::vector<double> rates;
  for (size_t i = 1; i < rows.size(); ++i) {
    CHECK(std::stoll(rows[i][0]) == int64_t(256 * i));
    rates.push_back(std::stod(rows[i][size_t(rate - rows[0].begin())]));
  }
  REQUIRE(rates.size() == 10);
  for (size_t i = 0; i < rates.size(); ++i) {
    CHECK(rates[i] == Approx(options.ppo.learning_rate * (i < 3 ? 0.5 : 0.25)));
  }
}

TEST_CASE("a loss that is never finite is given up, and what was there is kept") {
  const TemporaryFolder temporary;
  TestRun test(RunOptionsOf(2560), temporary.path() / "run");
  std::vector<int> all;
  for (int step = 60; step < 1000; ++step) all.push_back(step);
  const auto failed = RunWithNan(test, all);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message.find("3 times half the learning rate did not help") !=
        std::string::npos);
  CHECK(ValueOf(test.folder->LoadCheckpoint())->iteration == 3);
  CHECK(test.training.trainer->iteration() == 3);
}

}  // namespace
}  // namespace lapforge::agents
