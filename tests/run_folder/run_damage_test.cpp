// Tests what a run folder must never lose: other people's files, logs that a reader looks at,
// progress when checkpoints are damaged, the header of a log on a disk that was full.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "agents/metrics/csv_log.h"
#include "agents/run_folder.h"
#include "sim/base/crc32.h"
#include "sim/base/file_io.h"
#include "sim/base/log.h"
#include "sim/base/strings.h"
#include "tests/base/temporary_folder.h"

using namespace lapforge;
using namespace lapforge::agents;
namespace fs = std::filesystem;

namespace {

std::vector<std::byte> StateOf(int64_t iteration) {
  return std::vector<std::byte>(100, static_cast<std::byte>(iteration));
}

void LogIteration(RunFolder& run, int64_t iteration) {
  const Metric metric{"m", static_cast<double>(iteration)};
  REQUIRE(run.LogMetrics(iteration, {&metric, 1}).ok());
}

// A run that logged two rows and has a checkpoint after each of `iterations`.
void MakeRun(const fs::path& path, std::initializer_list<int64_t> iterations) {
  const auto run = RunFolder::Create(path).value();
  REQUIRE(run->WriteText("options.textproto", "seed: 1\n").ok());
  for (const int64_t iteration : iterations) {
    LogIteration(*run, iteration);
    REQUIRE(run->SaveCheckpoint({iteration, StateOf(iteration)}, 3).ok());
  }
}

// Flips the first byte of every file below `folder` that holds `wanted`.
int DamageFilesWith(const fs::path& folder, std::string_view wanted) {
  int num_damaged = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::string bytes = ReadFile(entry.path()).value();
    if (bytes.find(wanted) == std::string::npos) continue;
    bytes[0] = static_cast<char>(bytes[0] ^ 1);
    std::ofstream(entry.path(), std::ios::binary) << bytes;
    ++num_damaged;
  }
  return num_damaged;
}

std::string TextOf(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Keeps warnings out of the output and counts them.
class Warnings {
 public:
  Warnings() {
    SetLogSink([this](LogLevel, std::string_view) { ++count_; });
  }
  ~Warnings() { SetLogSink({}); }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

}  // namespace

TEST_CASE("Going on with a run leaves tables alone that are not its own") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  MakeRun(path, {1});
  std::ofstream(path / "analysis.csv") << "lap,note\n1,good\n";
  const auto run = RunFolder::OpenForWriting(path).value();
  REQUIRE(run->LoadCheckpoint().value().has_value());
  CHECK(ReadFile(path / "analysis.csv").value() == "lap,note\n1,good\n");
}

TEST_CASE("A reader changes nothing while the run goes on") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  MakeRun(path, {1});
  const auto run = RunFolder::OpenForWriting(path).value();
  REQUIRE(run->LoadCheckpoint().ok());
  LogIteration(*run, 2);

  const auto reader = RunFolder::OpenForReading(path).value();
  CHECK(reader->LoadCheckpoint().value()->state == StateOf(1));
  CHECK(ReadFile(path / "metrics.csv").value() == "env_steps,m\n1,1\n2,2\n");
  const std::string refusal = "the run '" + path.string() + "' was opened for reading only";
  const Metric metric{"m", 3};
  CHECK(reader->WriteText("x", "").error().message == refusal);
  CHECK(reader->LogMetrics(3, {&metric, 1}).error().message == refusal);
  CHECK(reader->LogRow("evaluations", {&metric, 1}).error().message == refusal);
  CHECK(reader->SaveCheckpoint({3, StateOf(3)}, 3).error().message == refusal);
}

TEST_CASE("When no checkpoint is intact the run is not silently started anew") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  MakeRun(path, {1, 2});
  const Warnings warnings;
  REQUIRE(DamageFilesWith(path / "checkpoints" / "blobs", "") == 2);
  const auto run = RunFolder::OpenForWriting(path).value();
  const auto loaded = run->LoadCheckpoint();
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().message.find("none of the 2 checkpoints") != std::string::npos);
  CHECK(warnings.count() == 2);
  CHECK(ReadFile(path / "metrics.csv").value() == "env_steps,m\n1,1\n2,2\n");
}

TEST_CASE("A checkpoint made after stepping back is kept, though its iteration is lower") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  MakeRun(path, {100, 120});
  const Warnings warnings;
  REQUIRE(DamageFilesWith(path / "checkpoints" / "blobs", TextOf(StateOf(120))) == 1);
  {
    const auto run = RunFolder::OpenForWriting(path).value();
    CHECK(run->LoadCheckpoint().value()->iteration == 100);
    REQUIRE(run->SaveCheckpoint({105, StateOf(105)}, 1).ok());
  }
  const auto run = RunFolder::OpenForWriting(path).value();
  const auto loaded = run->LoadCheckpoint();
  REQUIRE(loaded.ok());
  REQUIRE(loaded.value().has_value());
  CHECK((*loaded)->iteration == 105);
  CHECK((*loaded)->state == StateOf(105));
}

TEST_CASE("A log that is shorter than its checkpoint says does not stop the run") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  MakeRun(path, {1});
  fs::remove(path / "metrics.csv");
  const Warnings warnings;
  const auto run = RunFolder::OpenForWriting(path).value();
  REQUIRE(run->LoadCheckpoint().ok());
  CHECK(warnings.count() == 1);
  LogIteration(*run, 2);
  CHECK(ReadFile(path / "metrics.csv").value() == "env_steps,m\n2,2\n");
}

TEST_CASE("A manifest of a newer format is refused with the reason") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  MakeRun(path, {1});

  // by hand: field 1 of the manifest is its version, here 2; then length, bytes, CRC
  const std::string manifest = "\x08\x02";
  const uint32_t crc = Crc32c(std::as_bytes(std::span(manifest)));
  const std::string sealed = "\x0a\x02" + manifest + "\x15" +
                             std::string(reinterpret_cast<const char*>(&crc), sizeof(crc));
  std::string folder_of_manifests = "checkpoints/manifests";
  std::ofstream(path / folder_of_manifests / "newer", std::ios::binary) << sealed;
  const auto run = RunFolder::OpenForWriting(path).value();
  const std::string message = run->LoadCheckpoint().error().message;
  CHECK(message.find("format 2") != std::string::npos);
  CHECK(message.find("reads up to 1") != std::string::npos);
  CHECK_FALSE(run->SaveCheckpoint({2, StateOf(2)}, 1).ok());
}

TEST_CASE("Names of logs and metrics that would break a file are refused") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  MakeRun(path, {});
  const auto run = RunFolder::OpenForWriting(path).value();
  const Metric metric{"m", 1};
  for (const char* name : {"", "../x", "a/b", "metrics"}) {
    CAPTURE(name);
    CHECK_FALSE(run->LogRow(name, {&metric, 1}).ok());
  }
  for (const char* name : {"", "a,b", "a\"b", "a\nb"}) {
    const Metric bad{name, 1};
    CAPTURE(name);
    CHECK_FALSE(run->LogRow("table", {&bad, 1}).ok());
  }
}

TEST_CASE("Counts are written as whole numbers, other values in the shortest exact form") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "m.csv";
  CsvLog log = CsvLog::Open(path).value();
  REQUIRE(log.Append(std::vector<Metric>{{"a", 1000000}, {"b", 0.1}}).ok());
  REQUIRE(log.Append(std::vector<Metric>{{"a", -3e14}, {"b", 1e300}}).ok());
  CHECK(ReadFile(path).value() == "a,b\n1000000,0.1\n-300000000000000,1e+300\n");
}

TEST_CASE("A row that did not fit leaves nothing, and the header still comes first later") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "m.csv";
  CsvLog log = CsvLog::Open(path).value();
  const std::vector<Metric> row = {{"a", 1}, {"b", 2}};

  // files may hold 5 bytes: the write comes up short, as on a full disk
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{5, limit.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const bool has_written = log.Append(row).ok();
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  std::signal(SIGXFSZ, old_handler);

  CHECK_FALSE(has_written);
  CHECK(ReadFile(path).value().empty());
  REQUIRE(log.Append(row).ok());
  CHECK(ReadFile(path).value() == "a,b\n1,2\n");
}

TEST_CASE("What killed writers left behind is cleared away, and a lone lock is an empty folder") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  fs::create_directories(path);
  std::ofstream(path / "lock") << "1\n";
  MakeRun(path, {1});
  const fs::path left = path / "checkpoints" / "blobs" / StrCat(kTemporaryPrefix, "1-0");
  std::ofstream(left) << "half";
  REQUIRE(RunFolder::OpenForReading(path).ok());
  CHECK(fs::exists(left));
  REQUIRE(RunFolder::OpenForWriting(path).ok());
  CHECK_FALSE(fs::exists(left));
}
