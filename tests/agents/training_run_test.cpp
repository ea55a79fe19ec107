// Tests whole runs: what they leave on disk, when they stop, and that going on loses nothing.
#include "agents/training_run.h"

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
                                            {.num_trials = options.run.evaluation_laps},
                                            &training.pool))),
        folder(ValueOf(std::filesystem::exists(path) ? RunFolder::OpenForWriting(path)
                                                     : RunFolder::Create(path))),
        run({&training.options, training.trainer.get(), evaluator.get(), folder.get(), &observer,
             &observer.stop_requested}) {
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
  TrainingRun run({&test.training.options, trainer.get(), test.evaluator.get(), test.folder.get(),
                   &test.observer, &test.observer.stop_requested});
  const auto failed = run.Run();
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message == "reward.py:3: division by zero");
  const auto checkpoint = ValueOf(test.folder->LoadCheckpoint());
  REQUIRE(checkpoint.has_value());
  CHECK(checkpoint->iteration == 2);
  CHECK(ValueOf(LoadPolicy(test.folder->path() / "last.policy")).env_steps == 512);
}

}  // namespace
}  // namespace lapforge::agents
