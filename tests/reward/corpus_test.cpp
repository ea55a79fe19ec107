// The corpus: reward functions as users write them, good and bad. expected.json says what each
// shows and how it must end, in a check and in training.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "reward/check/drives.h"
#include "reward/check/report.h"
#include "reward/workers/worker_reward.h"
#include "sim/base/log.h"
#include "sim/base/strings.h"
#include "tests/reward/reward_fixture.h"
#include "tracks/track_files.h"

namespace lapforge::reward {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = LAPFORGE_SOURCE_DIR "/tests/reward/corpus";

nlohmann::json Rows() { return nlohmann::json::parse(ReadFile(kFolder / "expected.json").value()); }

RewardCheckOptions OvalOptions() {
  RewardCheckOptions options{"", tracks::LoadTrack("oval").value(),
                             sim::LoadBuiltInCar("rc_1_18").value()};
  return options;
}

const std::vector<Drive>& Drives() {
  static const std::vector<Drive> drives = MakeDrives(OvalOptions()).value();
  return drives;
}

// What training makes of a file: the rewards of all drives, or its error.
Result<std::vector<float>> Train(const std::string& path) {
  LAPFORGE_TRY(const auto reward, LoadPythonReward(path, Drives().front().views));
  std::vector<float> all;
  for (const Drive& drive : Drives()) {
    std::vector<float> rewards(drive.facts.size());
    LAPFORGE_CHECK_OK(reward->Evaluate(drive.facts, rewards));
    all.insert(all.end(), rewards.begin(), rewards.end());
  }
  return all;
}

bool HasFinding(const RewardCheckReport& report, RewardSeverity severity, const std::string& text) {
  return std::any_of(
      report.findings.begin(), report.findings.end(), [&](const RewardFinding& finding) {
        return finding.severity == severity && finding.message.find(text) != std::string::npos;
      });
}

std::string Texts(const RewardCheckReport& report) {
  std::string texts;
  for (const RewardFinding& finding : report.findings) {
    texts += StrCat(RewardSeverityName(finding.severity), ": ", finding.message, "\n");
  }
  return texts;
}

void CheckFindings(const nlohmann::json& row, const RewardCheckReport& report) {
  INFO(Texts(report));
  for (const std::string text : row.value("warnings", nlohmann::json::array())) {
    INFO(text);
    CHECK(HasFinding(report, RewardSeverity::kWarning, text));
  }
  for (const std::string text : row.value("notes", nlohmann::json::array())) {
    INFO(text);
    CHECK(HasFinding(report, RewardSeverity::kNote, text));
  }
  if (row.contains("error")) {
    CHECK(HasFinding(report, RewardSeverity::kError, row["error"]));
  } else {
    CHECK(report.CountOf(RewardSeverity::kError) == 0);
    CHECK(report.reward_quantiles.front() >= row["low"].get<double>());
    CHECK(report.reward_quantiles.back() <= row["high"].get<double>());
  }
}

void CheckTraining(const nlohmann::json& row, const std::string& path) {
  const Result<std::vector<float>> rewards = Train(path);
  if (row.contains("error")) {
    REQUIRE_FALSE(rewards.ok());
    CHECK_THAT(rewards.error().message, Catch::Contains(row["error"].get<std::string>()));
    return;
  }
  if (!rewards.ok()) FAIL(rewards.error().message);
  const auto [low, high] = std::minmax_element(rewards->begin(), rewards->end());
  CHECK(*low >= row["low"].get<double>());
  CHECK(*high <= row["high"].get<float>());
}

void CheckRow(const nlohmann::json& row) {
  const std::string path = (kFolder / row["file"].get<std::string>()).string();
  INFO(row["file"] << " shows " << row["shows"]);
  const Result<RewardCheckReport> report = CheckOnDrives(path, Drives(), 0.99);
  if (row.contains("load_error")) {
    const std::string text = row["load_error"];
    REQUIRE_FALSE(report.ok());
    CHECK_THAT(report.error().message, Catch::Contains(text));
    CHECK_THAT(Train(path).error().message, Catch::Contains(text));
    return;
  }
  if (!report.ok()) FAIL(report.error().message);
  CheckFindings(row, *report);
  CheckTraining(row, path);
  if (row.contains("console")) {
    const auto verdict = ValidateAsConsole(path, OvalOptions().track, ConsoleVariant::kConsole);
    REQUIRE(verdict.ok());
    INFO(verdict->records_json);
    CHECK(verdict->is_accepted == (row["console"] == "accepted"));
  }
}

// Prints of the functions would fill the test's output.
class Quiet {
 public:
  Quiet() { SetLogLevel(LogLevel::kWarning); }
  ~Quiet() { SetLogLevel(LogLevel::kInfo); }
};

TEST_CASE("Every file of the corpus has a row, and every row a file") {
  std::vector<std::string> files, named;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".py") files.push_back(entry.path().filename());
  }
  for (const auto& row : Rows()) named.push_back(row["file"]);
  std::sort(files.begin(), files.end());
  std::sort(named.begin(), named.end());
  CHECK(files == named);
  CHECK(files.size() >= 40);
}

TEST_CASE("Files that need nothing but Python end as expected") {
  const Quiet quiet;
  for (const auto& row : Rows()) {
    if (!row.contains("needs") && !row.contains("isolation")) CheckRow(row);
  }
}

TEST_CASE("Files that need a package end as expected") {
  const std::string package = GENERATE("numpy", "scipy", "shapely");
  if (!UserFiles().Load("import " + package + "\n" + FunctionOf("return 1")).ok()) {
    std::printf("SKIPPED: the system's Python has no %s\n", package.c_str());
    return;
  }
  const Quiet quiet;
  for (const auto& row : Rows()) {
    if (row.value("needs", nlohmann::json::array()) == nlohmann::json{package}) CheckRow(row);
  }
}

// What one car's calls in a worker process end with; "" where all of them are paid.
std::string FailureInWorker(const std::string& path) {
  RewardOptions options;
  options.python_file = path;
  options.workers = 1;
  options.timeout_s = 0.5;
  options.memory_limit_mb = 200;
  const UserFiles files;
  const auto reward = MakeWorkerReward(options, files.views(), {LAPFORGE_WORKER_PROGRAM});
  if (!reward.ok()) FAIL(reward.error().message);
  for (int steps = 2; steps < 9; ++steps) {
    sim::StepFacts facts = files.Facts(1).front();
    facts.steps = steps;
    facts.speed_cmd_mps = 2;
    float paid = -1;
    RewardFailures failures;
    const auto done = (*reward)->EvaluateEach({&facts, 1}, {&paid, 1}, failures);
    if (!done.ok()) FAIL(done.error().message);
    if (!failures.list.empty()) return failures.list.front().message;
    CHECK(paid == 2.0F);
  }
  return "";
}

TEST_CASE("Files that harm their process cost one car an episode in a worker") {
  const Quiet quiet;
  for (const auto& row : Rows()) {
    if (!row.contains("isolation")) continue;
    INFO(row["file"] << " shows " << row["shows"]);
    const std::string expected = row["isolation"];
    const std::string message =
        FailureInWorker((kFolder / row["file"].get<std::string>()).string());
    CHECK_THAT(message, Catch::Contains(expected));
    CHECK(message.empty() == expected.empty());
  }
}

TEST_CASE("A file of 1,700 lines and a table of 302 rows runs") {
  std::string source = "LINE = [\n";
  for (int i = 0; i < 302; ++i) {
    source += StrCat("    (", 0.01 * i, ", ", 0.02 * i, ", ", 1 + i % 4, "),\n");
  }
  source += "]\n";
  for (int i = 0; i < 200; ++i) {
    source += StrCat("\n\ndef helper_", i, "(value):\n    # ", std::string(240, '-'),
                     "\n    if value > ", i, ":\n        return value\n    return ", i, ".0\n");
  }
  source += "\n\ndef reward_function(params):\n    return helper_3(params['speed'] + len(LINE))\n";
  REQUIRE(source.size() > 62'000);
  REQUIRE(std::count(source.begin(), source.end(), '\n') > 1700);
  CHECK(UserFiles().Reward(source) == 302.0F);
}

}  // namespace
}  // namespace lapforge::reward
