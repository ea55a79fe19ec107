// The extra keys: given to files that name one, with values by hand; and the table of all keys.
#include <catch2/catch.hpp>

#include "reward/reward_keys.h"
#include "tests/reward/reward_fixture.h"

namespace lapforge::reward {
namespace {

// What a function that names an extra key sees, as JSON.
nlohmann::json ExtraParams(const sim::StepFacts& facts, const std::string& named_key) {
  const UserFiles files;
  const std::string out = (files.folder() / "extra.json").string();
  const auto reward = files.Load("import json\nNAMED = '" + named_key +
                                 "'\ndef reward_function(params):\n    with open('" + out +
                                 "', 'w') as file:\n        json.dump(params, file)\n"
                                 "    return len(params)\n");
  if (!reward.ok()) FAIL(reward.error().message);
  UserFiles::Call(**reward, facts);
  return nlohmann::json::parse(ReadFile(out).value());
}

TEST_CASE("Files that name no extra key get DeepRacer's 27 and nothing else") {
  CHECK(UserFiles().Reward(FunctionOf("return len(params)")) == 27);
  // a word is no key
  CHECK(UserFiles().Reward("lap_time = 3\n" + FunctionOf("return len(params)")) == 27);
}

TEST_CASE("The first 27 rows of the table are the params' keys in their order") {
  const UserFiles files;
  const std::string out = (files.folder() / "keys.json").string();
  files.Reward("import json\ndef reward_function(params):\n    with open('" + out +
               "', 'w') as file:\n        json.dump(list(params), file)\n    return 1\n");
  const nlohmann::json keys = nlohmann::json::parse(ReadFile(out).value());
  REQUIRE(keys.size() == 27);
  const auto table = RewardKeys();
  REQUIRE(table.size() > keys.size());
  for (size_t i = 0; i < table.size(); ++i) {
    INFO(table[i].name);
    CHECK(table[i].is_extra == (i >= keys.size()));
    if (i < keys.size()) CHECK(keys[i] == table[i].name);
  }
}

TEST_CASE("Extra values of a sliding car") {
  sim::StepFacts facts = FactsAt(SquareTrack(), {2, 0.1});
  facts.car.velocity_body_mps = {3, -4, 7};
  facts.car.angular_velocity_body_radps = {9, 9, 2};
  facts.car.steering_rad = RadFromDeg(-12);
  facts.car.tire_slip_angle_rad = {0, RadFromDeg(-8), RadFromDeg(3), 0};
  facts.car.slip_ratio = {0.1, -0.3, 0.2, 0};
  facts.action = {0.5, 0};
  facts.last_action = {-0.25, 1};
  facts.heading_error_rad = RadFromDeg(15);
  facts.wheel_on_road = {true, false, true, false};
  facts.progress_delta_m = -0.125;
  facts.start_arc_length_m = 6;
  facts.lap_count = 2;
  facts.lap_time_us = 5'250'000;
  facts.truncated = true;
  const nlohmann::json params = ExtraParams(facts, "slip_angle");

  const auto number = [&](const char* key) { return params[key].get<double>(); };
  CHECK(number("speed_measured") == Approx(5));
  CHECK(number("forward_speed") == 3);
  CHECK(number("lateral_speed") == -4);
  CHECK(number("slip_angle") == Approx(-53.13010235));  // a triangle of 3, 4 and 5
  CHECK(number("yaw_rate") == Approx(114.591559));      // 2 rad/s
  CHECK(number("lateral_acceleration") == 6);
  CHECK(number("steering_measured") == Approx(-12));
  CHECK(number("steering_change") == 0.75);
  CHECK(number("tire_slip_angle") == Approx(8));
  CHECK(number("slip_ratio") == 0.3);
  CHECK(number("lateral_offset") == Approx(0.1));
  CHECK(number("heading_error") == Approx(15));
  CHECK(number("curvature") == Approx(0).margin(1e-9));
  CHECK(params["wheels_off_track"] == 2);
  CHECK(number("progress_delta") == -0.125);
  CHECK(number("start_distance") == 6);
  CHECK(params["lap_count"] == 2);
  CHECK(number("lap_time") == 5.25);
  CHECK(params["is_last_step"] == true);
}

TEST_CASE("Every key of the table is in the params with the type it says") {
  const nlohmann::json params = ExtraParams(FactsAt(SquareTrack(), {1, 0}), "lap_time");
  CHECK(params.size() == RewardKeys().size());
  for (const RewardKey& key : RewardKeys()) {
    INFO(key.name);
    REQUIRE(params.contains(key.name));
    const nlohmann::json& value = params[key.name];
    const std::string type = key.type;
    const bool fits = type == "bool"    ? value.is_boolean()
                      : type == "int"   ? value.is_number_integer()
                      : type == "float" ? value.is_number_float()
                                        : value.is_array();
    CHECK(fits);
  }
}

TEST_CASE("A car that stands has no slip angle") {
  sim::StepFacts facts = FactsAt(SquareTrack(), {1, 0});
  facts.car.velocity_body_mps = {0.01, 0.02, 0};
  CHECK(ExtraParams(facts, "slip_angle")["slip_angle"] == 0.0);
}

TEST_CASE("An extra key that only another module names is explained") {
  const UserFiles files;
  files.Write("helper.py", "def value(params):\n    return params['yaw_rate']\n");
  CHECK_THAT(files.CallError("import helper\n" + FunctionOf("return helper.value(params)")),
             Catch::Contains("the file itself must name it in quotes"));
}

TEST_CASE("docs/rewards.md holds the table of the keys") {
  const std::string page = ReadFile(LAPFORGE_SOURCE_DIR "/docs/rewards.md").value();
  CHECK(page.find(RewardKeysMarkdown()) != std::string::npos);
}

}  // namespace
}  // namespace lapforge::reward
