// The examples: each passes the check, and the coach says of it what its comment says.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "reward/reward_check.h"
#include "tests/reward/reward_fixture.h"
#include "tracks/track_files.h"

namespace lapforge::reward {
namespace {

namespace fs = std::filesystem;

RewardCheckReport Check(const fs::path& path) {
  RewardCheckOptions options{path.string(), tracks::LoadTrack("oval").value(),
                             sim::LoadBuiltInCar("rc_1_18").value()};
  options.num_objects = path.stem() == "avoid_boxes" ? 3 : 0;
  const auto report = CheckReward(options);
  if (!report.ok()) FAIL(report.error().message);
  return *report;
}

void CheckExample(const fs::path& path) {
  INFO(path);
  const std::string source = ReadFile(path).value();
  CHECK(source.starts_with("\"\"\""));
  CHECK(source.find("\nTeaches: ") != std::string::npos);
  const RewardCheckReport report = Check(path);
  std::string warnings;
  for (const RewardFinding& finding : report.findings) {
    if (finding.severity != RewardSeverity::kNote) warnings += finding.message + "\n";
  }
  if (path.stem() == "follow_center") {
    CHECK_THAT(warnings, Catch::Contains("driving slowly is the best plan"));
  } else {
    CHECK(warnings == "");
  }
}

TEST_CASE("Every example passes the check") {
  int num_examples = 0;
  for (const auto& entry : fs::directory_iterator(LAPFORGE_SOURCE_DIR "/reward/examples")) {
    if (entry.path().extension() != ".py" || entry.path().stem() == "batch_progress") continue;
    CheckExample(entry.path());
    ++num_examples;
  }
  CHECK(num_examples >= 8);
}

TEST_CASE("The batch example passes the check") {
  const UserFiles files;
  if (!files.Load("import numpy\n" + FunctionOf("return 1")).ok()) {
    std::puts("SKIPPED: the system's Python has no numpy");
    return;
  }
  if (!files.Load("def reward_batch(params):\n    return params['speed']\n").ok()) {
    std::puts("SKIPPED: this version has no reward_batch");
    return;
  }
  CheckExample(LAPFORGE_SOURCE_DIR "/reward/examples/batch_progress.py");
}

}  // namespace
}  // namespace lapforge::reward
