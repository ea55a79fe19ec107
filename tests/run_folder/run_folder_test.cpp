// Tests run folders: one writer, logs that go back with their checkpoint, kills at random moments.
#include "agents/run_folder.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "sim/base/file_io.h"
#include "sim/base/rng.h"
#include "tests/base/temporary_folder.h"

using namespace lapforge;
using namespace lapforge::agents;

namespace {

// The state after `iteration`, some of it random but known.
std::vector<std::byte> StateOf(int64_t iteration) {
  RngStream random(1, uint32_t(iteration), 0, RngPurpose::kTest);
  std::vector<std::byte> state(20000);
  for (std::byte& byte : state) byte = static_cast<std::byte>(random.NextU32());
  return state;
}

void LogIteration(RunFolder& folder, int64_t iteration) {
  const Metric metric{"m", static_cast<double>(iteration)};
  REQUIRE(folder.LogMetrics(iteration, {&metric, 1}).ok());
  REQUIRE(folder.LogRow("evaluations", {&metric, 1}).ok());
}

std::string ExpectedCsv(int64_t iterations) {
  std::string text = iterations > 0 ? "env_steps,m\n" : "";
  for (int64_t i = 1; i <= iterations; ++i) {
    text += std::to_string(i) + "," + std::to_string(i) + "\n";
  }
  return text;
}

std::unique_ptr<RunFolder> NewRun(const std::filesystem::path& path) {
  auto folder = RunFolder::Create(path).value();
  REQUIRE(folder->WriteText("options.textproto", "seed: 1\n").ok());
  return folder;
}

}  // namespace

TEST_CASE("A run folder is made once, opened when it is one, and has one writer") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "runs" / "a";
  CHECK(RunFolder::OpenForReading(path).error().message ==
        "there is no run folder '" + path.string() + "'");
  auto run = NewRun(path);
  CHECK(run->Has("options.textproto"));
  CHECK(run->ReadText("options.textproto").value() == "seed: 1\n");
  CHECK_FALSE(run->WriteText("../x", "").ok());
  CHECK(RunFolder::Create(path).error().message.find("is not empty") != std::string::npos);
  CHECK(RunFolder::OpenForWriting(path).error().message.find(
            "is in use by process " + std::to_string(getpid())) != std::string::npos);
  CHECK(RunFolder::OpenForReading(path).ok());
  run.reset();
  CHECK(RunFolder::OpenForWriting(path).ok());

  std::ofstream(folder.path() / "file") << "x";
  CHECK_FALSE(RunFolder::Create(folder.path() / "file").ok());
  CHECK(RunFolder::OpenForReading(folder.path()).error().message.find("not a run folder") !=
        std::string::npos);
}

TEST_CASE("Loading a checkpoint brings the logs back to its length") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run";
  {
    auto run = NewRun(path);
    for (int64_t i = 1; i <= 5; ++i) {
      LogIteration(*run, i);
      if (i == 3) REQUIRE(run->SaveCheckpoint({i, StateOf(i)}, 2).ok());
    }
  }
  CHECK(ReadFile(path / "metrics.csv").value() == ExpectedCsv(5));
  for (int again = 0; again < 2; ++again) {
    auto run = RunFolder::OpenForWriting(path).value();
    const auto checkpoint = run->LoadCheckpoint().value();
    REQUIRE(checkpoint.has_value());
    CHECK(checkpoint->iteration == 3);
    CHECK(checkpoint->state == StateOf(3));
    CHECK(ReadFile(path / "metrics.csv").value() == ExpectedCsv(3));

    // saved again before anything was logged, it must not forget the logs
    REQUIRE(run->SaveCheckpoint({3, StateOf(3)}, 2).ok());
  }
  auto run = RunFolder::OpenForWriting(path).value();
  REQUIRE(run->LoadCheckpoint().value().has_value());
  LogIteration(*run, 4);
  CHECK(ReadFile(path / "metrics.csv").value() == ExpectedCsv(4));
}

TEST_CASE("A checkpoint commits in another thread what was there when it was prepared") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run";
  {
    auto run = NewRun(path);
    LogIteration(*run, 1);
    const auto commit = run->PrepareCheckpoint({1, StateOf(1)}, 3).value();
    bool is_committed = false;
    std::thread disk([&] { is_committed = commit().ok(); });
    for (int64_t iteration = 2; iteration <= 50; ++iteration) LogIteration(*run, iteration);
    REQUIRE(run->LogRow("others", std::vector<Metric>{{"m", 1}}).ok());
    disk.join();
    CHECK(is_committed);
  }
  auto run = RunFolder::OpenForWriting(path).value();
  const auto checkpoint = run->LoadCheckpoint().value();
  REQUIRE(checkpoint.has_value());
  CHECK(checkpoint->state == StateOf(1));
  CHECK(ReadFile(path / "metrics.csv").value() == ExpectedCsv(1));
}

TEST_CASE("Without a checkpoint the logs start anew") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run";
  LogIteration(*NewRun(path), 1);
  auto run = RunFolder::OpenForWriting(path).value();
  CHECK_FALSE(run->LoadCheckpoint().value().has_value());
  LogIteration(*run, 1);
  CHECK(ReadFile(path / "metrics.csv").value() == ExpectedCsv(1));
}

TEST_CASE("Killed at random moments, a run has a checkpoint it committed and logs that fit") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run";
  NewRun(path);
  RngStream random(7, 0, 0, RngPurpose::kTest);
  int64_t last_iteration = 0;
  // a busy machine may need more of them until anything is committed
  for (int kill_index = 0; kill_index < (last_iteration > 0 ? 20 : 500); ++kill_index) {
    const pid_t child = fork();
    if (child == 0) {
      auto run = RunFolder::OpenForWriting(path).value();
      const auto start = run->LoadCheckpoint().value();
      for (int64_t i = start ? start->iteration + 1 : 1;; ++i) {
        LogIteration(*run, i);
        if (!run->SaveCheckpoint({i, StateOf(i)}, 2).ok()) _exit(1);
      }
    }
    usleep(5000 + random.Below(40000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));

    auto run = RunFolder::OpenForWriting(path).value();
    const auto checkpoint = run->LoadCheckpoint().value();
    const int64_t iteration = checkpoint ? checkpoint->iteration : 0;
    CHECK(iteration >= last_iteration);
    if (checkpoint) CHECK(checkpoint->state == StateOf(iteration));
    if (iteration > 0) CHECK(ReadFile(path / "metrics.csv").value() == ExpectedCsv(iteration));
    last_iteration = iteration;
  }
  CHECK(last_iteration > 0);
}
