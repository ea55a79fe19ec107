// What the reward tests share: a small track, facts at a place of it, user files.
#pragma once

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reward/reward_function.h"
#include "sim/base/file_io.h"
#include "sim/base/log.h"
#include "sim/base/math.h"
#include "tests/base/temporary_folder.h"
#include "tracks/track.h"

namespace lapforge::reward {

/// A counter-clockwise square of 4 m a side, waypoints every 0.5 m from (0, 0) along +x, 0.8 m
/// wide, closed; the inner border is on the left.
inline tracks::Track SquareTrack() {
  tracks::TrackRows rows;
  rows.name = "square";
  const std::array<Vec2, 5> corners{{{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}}};
  constexpr int kRowsPerSide = 8;
  const Vec2 middle_m{2, 2};
  for (int i = 0; i <= 4 * kRowsPerSide; ++i) {
    const int side = std::min(i / kRowsPerSide, 3);
    const double fraction = double(i - side * kRowsPerSide) / kRowsPerSide;
    const Vec2 center_m = Lerp(corners[size_t(side)], corners[size_t(side) + 1], fraction);
    rows.center_m.push_back(center_m);
    rows.inner_m.push_back(middle_m + (center_m - middle_m) * 0.8);
    rows.outer_m.push_back(middle_m + (center_m - middle_m) * 1.2);
  }
  return tracks::Track::FromRows(rows).value();
}

/// Facts of a car whose front point is at `point_m` on `view`; all else as at the start.
inline sim::StepFacts FactsAt(const tracks::Track& view, Vec2 point_m) {
  sim::StepFacts facts;
  facts.front_point_m = point_m;
  facts.position = view.Project(point_m);
  facts.borders = view.NearestBorders(facts.position);
  facts.steps = 2;
  return facts;
}

/// Collects what is logged while it lives.
class LogCapture {
 public:
  LogCapture() {
    SetLogSink([this](LogLevel, std::string_view line) { lines.emplace_back(line); });
  }
  ~LogCapture() { SetLogSink({}); }

  std::vector<std::string> lines;
};

/// User files in a folder of their own, loaded for the square track in both directions.
class UserFiles {
 public:
  std::filesystem::path Write(const std::string& name, const std::string& source) const {
    const std::filesystem::path path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << source;
    return path;
  }
  Result<std::unique_ptr<RewardFunction>> Load(const std::string& source,
                                               const std::string& name = "reward.py") const {
    return LoadPythonReward(Write(name, source).string(), views());
  }
  /// The message of a file that must not load, with the folder cut off its front.
  std::string LoadError(const std::string& source) const {
    const auto reward = Load(source);
    REQUIRE_FALSE(reward.ok());
    return WithoutFolder(reward.error().message);
  }
  /// The message of a file that loads but fails when called.
  std::string CallError(const std::string& source) const {
    const auto reward = Load(source);
    if (!reward.ok()) FAIL(reward.error().message);
    std::array<float, 1> rewards{};
    const auto done = (*reward)->Evaluate(Facts(1), rewards);
    REQUIRE_FALSE(done.ok());
    return WithoutFolder(done.error().message);
  }
  /// Loads and calls a file once.
  float Reward(const std::string& source) const {
    const auto reward = Load(source);
    if (!reward.ok()) FAIL(reward.error().message);
    return Call(**reward);
  }
  float Call(RewardFunction& reward) const { return Call(reward, Facts(1).front()); }
  static float Call(RewardFunction& reward, const sim::StepFacts& facts) {
    std::array<float, 1> rewards{-12345.0F};
    const auto done = reward.Evaluate(std::array{facts}, rewards);
    if (!done.ok()) FAIL(done.error().message);
    return rewards[0];
  }
  /// What a user's function sees: its params as JSON.
  nlohmann::json Params(const tracks::Track& view, sim::StepFacts facts) const {
    const std::string out = (folder_.path() / "params.json").string();
    const std::filesystem::path path = Write("dump.py",
                                             "import json\n"
                                             "def reward_function(params):\n"
                                             "    with open('" +
                                                 out +
                                                 "', 'w') as file:\n"
                                                 "        json.dump(params, file)\n"
                                                 "    return 1\n");
    const auto reward = LoadPythonReward(path.string(), std::array{view});
    if (!reward.ok()) FAIL(reward.error().message);
    facts.track_index = 0;
    Call(**reward, facts);
    return nlohmann::json::parse(ReadFile(out).value());
  }

  /// As VectorSim::tracks(): forward, reversed.
  std::vector<tracks::Track> views() const { return {track_, track_.Reversed()}; }
  /// `count` envs at (1, 0.1) on the forward view.
  std::vector<sim::StepFacts> Facts(size_t count) const {
    return std::vector<sim::StepFacts>(count, FactsAt(track_, {1, 0.1}));
  }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  std::string WithoutFolder(const std::string& message) const {
    const std::string start = folder_.path().string() + "/";
    REQUIRE(message.starts_with(start));
    return message.substr(start.size());
  }

  TemporaryFolder folder_;
  tracks::Track track_ = SquareTrack();
};

/// A function with `body` as its only line.
inline std::string FunctionOf(const std::string& body) {
  return "def reward_function(params):\n    " + body + "\n";
}

}  // namespace lapforge::reward
