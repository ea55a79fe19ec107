// Tests a run folder whose every call of the system fails or is the last one: a session after it
// finds the old or the new checkpoint and the logs that fit. Then real full and forbidden disks.
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "agents/run_folder.h"
#include "sim/base/file_io.h"
#include "sim/base/log.h"
#include "sim/base/strings.h"
#include "tests/base/temporary_folder.h"
#include "tests/run_folder/io_faults.h"

using namespace lapforge;
using namespace lapforge::agents;
using io_faults::Fault;
namespace fs = std::filesystem;

namespace {

constexpr int64_t kOld = 3;
constexpr int64_t kNew = 4;

std::vector<std::byte> StateOf(int64_t iteration) {
  return std::vector<std::byte>(3000, static_cast<std::byte>(iteration));
}

std::string ExpectedCsv(int64_t iterations) {
  std::string text = "env_steps,m\n";
  for (int64_t i = 1; i <= iterations; ++i) text += StrCat(i, ",", i, "\n");
  return text;
}

Result<void> LogIteration(RunFolder& run, int64_t iteration) {
  const Metric metric{"m", static_cast<double>(iteration)};
  LAPFORGE_CHECK_OK(run.LogMetrics(iteration, {&metric, 1}));
  return run.LogRow("evaluations", std::vector<Metric>{{"env_steps", metric.value}, metric});
}

Result<void> MakeRun(const fs::path& path) {
  LAPFORGE_TRY(const auto run, RunFolder::Create(path));
  LAPFORGE_CHECK_OK(run->WriteText("options.textproto", "seed: 1\n"));
  for (int64_t i = 1; i <= kOld; ++i) {
    LAPFORGE_CHECK_OK(LogIteration(*run, i));
    LAPFORGE_CHECK_OK(run->SaveCheckpoint({i, StateOf(i)}, 2));
  }
  return LogIteration(*run, kNew);  // lost with the session
}

// What meets the faults: going on with the run and committing one more checkpoint.
Result<void> GoOn(const fs::path& path) {
  LAPFORGE_TRY(const auto run, RunFolder::OpenForWriting(path));
  LAPFORGE_TRY(const auto checkpoint, run->LoadCheckpoint());
  if (!checkpoint || checkpoint->state != StateOf(checkpoint->iteration)) {
    return ErrorOf("the wrong state was loaded");
  }
  for (int64_t i = checkpoint->iteration + 1; i <= kNew; ++i) {
    LAPFORGE_CHECK_OK(LogIteration(*run, i));
  }
  return run->SaveCheckpoint({kNew, StateOf(kNew)}, 2);
}

// A later session finds the old or the new state, logs that fit, and can commit.
void RequireSound(const fs::path& path, bool must_be_new) {
  auto run = RunFolder::OpenForWriting(path).value();
  const auto loaded = run->LoadCheckpoint();
  REQUIRE(loaded.ok());
  REQUIRE(loaded.value().has_value());
  const int64_t iteration = (*loaded)->iteration;
  REQUIRE((iteration == kNew || (iteration == kOld && !must_be_new)));
  REQUIRE((*loaded)->state == StateOf(iteration));
  REQUIRE(ReadFile(path / "metrics.csv").value() == ExpectedCsv(iteration));
  REQUIRE(ReadFile(path / "evaluations.csv").value() == ExpectedCsv(iteration));
  REQUIRE(run->SaveCheckpoint({kNew, StateOf(kNew)}, 2).ok());
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    REQUIRE_FALSE(StartsWith(entry.path().filename().string(), kTemporaryPrefix));
  }
}

// Runs `GoOn` in a child with a fault at `call_index`. Its exit status: 0 done, 1 an error.
int ExitStatusOf(const fs::path& path, Fault fault, int call_index) {
  const pid_t child = fork();
  if (child == 0) {
    SetLogLevel(LogLevel::kError);
    io_faults::Arm(fault, call_index);
    const bool is_done = GoOn(path).ok();
    const bool was_reached = io_faults::Disarm() > call_index;
    _exit(is_done ? (was_reached ? 0 : 2) : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void TestAllCalls(Fault fault) {
  const TemporaryFolder folder;
  REQUIRE(MakeRun(folder.path() / "template").ok());
  constexpr int kMaxCalls = 500;
  int call_index = 0;
  for (bool is_past_end = false; !is_past_end; ++call_index) {
    REQUIRE(call_index < kMaxCalls);
    CAPTURE(call_index);
    const fs::path path = folder.path() / "run";
    fs::remove_all(path);
    fs::copy(folder.path() / "template", path, fs::copy_options::recursive);
    const int status = ExitStatusOf(path, fault, call_index);
    is_past_end = status == 2;
    const bool is_deadly = fault == Fault::kKill || fault == Fault::kPowerCut;
    REQUIRE((is_past_end || status == 0 || status == (is_deadly ? io_faults::kKilledStatus : 1)));
    RequireSound(path, status == 0 || is_past_end);
  }
  CHECK(call_index > 30);  // opens, writes, flushes and renames of three files and three logs
}

// Makes mounts of this process invisible to others and puts a small disk at `path`.
bool MountSmallDisk(const fs::path& path) {
  return unshare(CLONE_NEWNS) == 0 &&
         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", path.c_str(), "tmpfs", 0, "size=256k") == 0;
}

}  // namespace

TEST_CASE("A call that fails once leaves the old or the new checkpoint") {
  TestAllCalls(Fault::kFailOnce);
}

TEST_CASE("A disk that fails from some call on leaves the old or the new checkpoint") {
  TestAllCalls(Fault::kFailOn);
}

TEST_CASE("A kill at any call leaves the old or the new checkpoint") { TestAllCalls(Fault::kKill); }

TEST_CASE("A power cut at any call leaves the old or the new checkpoint") {
  TestAllCalls(Fault::kPowerCut);
}

TEST_CASE("A full disk is one clear line, and what was there stays") {
  const TemporaryFolder folder;
  if (!MountSmallDisk(folder.path())) {
    std::puts("SKIPPED: mounting a small disk needs root");
    return;
  }
  const fs::path path = folder.path() / "run";
  {
    REQUIRE(MakeRun(path).ok());
    const auto run = RunFolder::OpenForWriting(path).value();
    REQUIRE(run->LoadCheckpoint().value()->iteration == kOld);
    const std::vector<std::byte> large(400000);
    const std::string message = run->SaveCheckpoint({kNew, large}, 2).error().message;
    CHECK(message.find("No space left on device") != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);

    // to the last byte: rows fail whole
    std::ofstream(folder.path() / "filler") << std::string(400000, 'x');
    Result<void> logged;
    for (int64_t i = kNew; logged.ok() && i < 10000; ++i) logged = LogIteration(*run, i);
    CHECK_FALSE(logged.ok());
    for (const char* name : {"metrics.csv", "evaluations.csv"}) {
      CHECK(ReadFile(path / name).value().back() == '\n');
    }
    CHECK_FALSE(run->WriteText("note.txt", std::string(5000, 'x')).ok());
    CHECK_FALSE(run->Has("note.txt"));
    const auto second = RunFolder::Create(folder.path() / "second");
    if (second.ok()) CHECK_FALSE(second.value()->WriteText("a", std::string(5000, 'x')).ok());
  }
  fs::remove(folder.path() / "filler");
  RequireSound(path, false);
  umount(folder.path().c_str());
}

TEST_CASE("A folder that may not be written is one clear line") {
  constexpr uid_t kNobody = 65534;
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  REQUIRE(MakeRun(path).ok());
  fs::permissions(folder.path(), fs::perms(0755));
  if (geteuid() != 0 || seteuid(kNobody) != 0) {
    std::puts("SKIPPED: becoming another user needs root");
    return;
  }
  const auto created = RunFolder::Create(folder.path() / "new" / "run");
  const auto opened = RunFolder::OpenForWriting(path);
  const auto reader = RunFolder::OpenForReading(path);
  const auto loaded = reader.ok() ? reader.value()->LoadCheckpoint() : Error{"not opened"};
  REQUIRE(seteuid(0) == 0);

  CHECK(created.error().message ==
        "cannot make the folder '" + folder.path().string() + "/new': Permission denied");
  CHECK(opened.error().message == "cannot write '" + path.string() + "/lock': Permission denied");
  REQUIRE(loaded.ok());
  CHECK(loaded.value()->state == StateOf(kOld));
}
