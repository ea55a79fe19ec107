// The 27 keys of the params: names, types, values by hand on a square, and that users cannot spoil
// them for the next call.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "tests/reward/reward_fixture.h"

namespace lapforge::reward {
namespace {

TEST_CASE("The params have the 27 keys of the contract with their Python types") {
  const std::map<std::string, std::string> types = {{"all_wheels_on_track", "bool"},
                                                    {"x", "float"},
                                                    {"y", "float"},
                                                    {"heading", "float"},
                                                    {"distance_from_center", "float"},
                                                    {"projection_distance", "float"},
                                                    {"progress", "float"},
                                                    {"steps", "float"},
                                                    {"speed", "float"},
                                                    {"steering_angle", "float"},
                                                    {"track_width", "float"},
                                                    {"track_length", "float"},
                                                    {"waypoints", "list"},
                                                    {"closest_waypoints", "list"},
                                                    {"is_left_of_center", "bool"},
                                                    {"is_reversed", "bool"},
                                                    {"closest_objects", "list"},
                                                    {"objects_location", "list"},
                                                    {"objects_left_of_center", "list"},
                                                    {"object_in_camera", "bool"},
                                                    {"objects_speed", "list"},
                                                    {"objects_heading", "list"},
                                                    {"objects_distance_from_center", "list"},
                                                    {"objects_distance", "list"},
                                                    {"is_crashed", "bool"},
                                                    {"is_offtrack", "bool"},
                                                    {"sim_time", "float"}};
  REQUIRE(types.size() == 27);

  const UserFiles files;
  const std::string out = (files.folder() / "types.json").string();
  files.Reward(
      "import json\ndef reward_function(params):\n"
      "    types = {key: type(value).__name__ for key, value in params.items()}\n"
      "    assert all(type(w) is tuple and len(w) == 2 for w in params['waypoints'])\n"
      "    assert all(type(c) is float for w in params['waypoints'] for c in w)\n"
      "    assert all(type(i) is int for i in params['closest_waypoints'])\n"
      "    with open('" +
      out +
      "', 'w') as file:\n        json.dump(types, file)\n"
      "    return 1\n");
  CHECK(nlohmann::json::parse(ReadFile(out).value()) == nlohmann::json(types));
}

TEST_CASE("Values of a place on the square, forward") {
  const tracks::Track view = SquareTrack();
  sim::StepFacts facts = FactsAt(view, {1.3, 0.1});
  facts.car.yaw_rad = RadFromDeg(-90);
  facts.speed_cmd_mps = 5.5;
  facts.steering_cmd_rad = RadFromDeg(-45);
  facts.progress_pct = -0.5;
  facts.sim_time_s = 1.75;
  facts.all_wheels_on_track = false;
  facts.is_off_track = true;
  const nlohmann::json params = UserFiles().Params(view, facts);

  CHECK(params["x"] == 1.3);
  CHECK(params["y"] == 0.1);
  CHECK(params["heading"] == -90.0);
  CHECK(params["distance_from_center"].get<double>() == Approx(0.1).epsilon(1e-14));
  CHECK(params["projection_distance"].get<double>() == Approx(1.3).epsilon(1e-14));
  CHECK(params["track_length"] == 16.0);
  CHECK(params["track_width"].get<double>() == Approx(0.8).epsilon(1e-14));
  CHECK(params["closest_waypoints"] == nlohmann::json({2, 3}));
  CHECK(params["is_left_of_center"] == true);
  CHECK(params["is_reversed"] == false);
  CHECK(params["waypoints"].size() == 33);
  CHECK(params["waypoints"][3] == nlohmann::json({1.5, 0.0}));
  CHECK(params["waypoints"].front() == params["waypoints"].back());
  CHECK(params["progress"] == -0.5);
  CHECK(params["steps"] == 2.0);
  CHECK(params["sim_time"] == 1.75);
  CHECK(params["speed"] == 5.5);
  CHECK(params["steering_angle"] == -45.0);
  CHECK(params["all_wheels_on_track"] == false);
  CHECK(params["is_offtrack"] == true);
  CHECK(params["is_crashed"] == false);
  CHECK(params["object_in_camera"] == false);
  CHECK(params["closest_objects"] == nlohmann::json({0, 0}));
  for (const char* key : {"objects_location", "objects_left_of_center", "objects_speed",
                          "objects_heading", "objects_distance_from_center", "objects_distance"}) {
    CHECK(params[key] == nlohmann::json::array());
  }
}

TEST_CASE("Objects, one left and one right of the centerline") {
  const tracks::Track view = SquareTrack();
  sim::StepFacts facts = FactsAt(view, {1.3, 0.1});
  facts.num_objects = 2;
  facts.objects[0] = {.position_m = {1, 0.2}, .arc_length_m = 1, .lateral_offset_m = 0.2};
  facts.objects[1] = {.position_m = {2.5, -0.1}, .arc_length_m = 2.5, .lateral_offset_m = -0.1};
  facts.previous_object = 0;
  facts.next_object = 1;
  facts.is_next_object_in_camera = true;
  facts.is_crashed = true;
  const nlohmann::json params = UserFiles().Params(view, facts);
  CHECK(params["closest_objects"] == nlohmann::json({0, 1}));
  CHECK(params["objects_location"] == nlohmann::json({{1.0, 0.2}, {2.5, -0.1}}));
  CHECK(params["objects_left_of_center"] == nlohmann::json({true, false}));
  CHECK(params["objects_distance_from_center"] == nlohmann::json({0.2, 0.1}));
  CHECK(params["objects_distance"] == nlohmann::json({1.0, 2.5}));
  CHECK(params["objects_speed"] == nlohmann::json({0.0, 0.0}));
  CHECK(params["objects_heading"] == nlohmann::json({0.0, 0.0}));
  CHECK(params["object_in_camera"] == true);
  CHECK(params["is_crashed"] == true);
}

TEST_CASE("Cars among the objects have a speed, and a heading in radians; boxes have none") {
  const tracks::Track view = SquareTrack();
  sim::StepFacts facts = FactsAt(view, {1.3, 0.1});
  facts.num_objects = 3;
  facts.objects[0] = {
      .position_m = {}, .yaw_rad = 0.5, .speed_mps = 1.25, .kind = sim::ObjectKind::kCar};
  facts.objects[1] = {.position_m = {}, .yaw_rad = 0.75};
  facts.objects[2] = {
      .position_m = {}, .yaw_rad = -2.5, .speed_mps = 0.25, .kind = sim::ObjectKind::kBot};
  const nlohmann::json params = UserFiles().Params(view, facts);
  CHECK(params["objects_speed"] == nlohmann::json({1.25, 0.0, 0.25}));
  CHECK(params["objects_heading"] == nlohmann::json({0.5, 0.0, -2.5}));
}

TEST_CASE("Values of the same place, reversed") {
  const tracks::Track view = SquareTrack().Reversed();
  const nlohmann::json params = UserFiles().Params(view, FactsAt(view, {1.3, 0.1}));
  CHECK(params["projection_distance"].get<double>() == Approx(14.7).epsilon(1e-14));
  CHECK(params["closest_waypoints"] == nlohmann::json({29, 30}));
  CHECK(params["is_left_of_center"] == false);
  CHECK(params["is_reversed"] == true);
  CHECK(params["waypoints"][1] == nlohmann::json({0.0, 0.5}));
  CHECK(params["distance_from_center"].get<double>() == Approx(0.1).epsilon(1e-14));
}

TEST_CASE("A waypoint is the previous one as soon as it is reached, the last follows itself") {
  const tracks::Track view = SquareTrack();
  const UserFiles files;
  const auto closest = [&](Vec2 point_m) {
    return files.Params(view, FactsAt(view, point_m))["closest_waypoints"];
  };
  CHECK(closest({0, 0}) == nlohmann::json({0, 1}));
  CHECK(closest({0.5, 0}) == nlohmann::json({1, 2}));
  CHECK(closest({0.499, 0}) == nlohmann::json({0, 1}));
  CHECK(closest({4.2, -0.2}) == nlohmann::json({8, 9}));  // outside a corner
  CHECK(closest({0, 0.001}) == nlohmann::json({31, 32}));

  // an arc length equal to the length lies behind the last entry: bisect wraps to the first
  sim::StepFacts facts = FactsAt(view, {0, 0});
  facts.position.arc_length_m = view.length_m();
  CHECK(files.Params(view, facts)["closest_waypoints"] == nlohmann::json({32, 0}));
}

TEST_CASE("Commanded angles come back as they were written") {
  const tracks::Track view = SquareTrack();
  sim::StepFacts facts = FactsAt(view, {1, 0});
  const UserFiles files;
  for (const double angle_deg : {30.0, -30.0, 15.0, 0.0, 7.3, -12.345678, 22.5, 1e-7}) {
    facts.steering_cmd_rad = RadFromDeg(angle_deg);
    CHECK(files.Params(view, facts)["steering_angle"] == angle_deg);
  }
}

TEST_CASE("Nothing a user does to the params reaches the next call") {
  const UserFiles files;
  const std::string out = (files.folder() / "calls.json").string();
  const std::vector<std::string> mischiefs = {
      "params.clear()",
      "params['x'] = 'broken'; params['extra'] = 1",
      "del params['speed']",
      "params['waypoints'].clear()",
      "params['waypoints'][7] = (0, 0)",
      "params['waypoints'].append(params['waypoints'][0])",
      "params['waypoints'].reverse()",
      "params['waypoints'].pop()",
      "params['waypoints'] = None",
      "params['closest_waypoints'][0] = 99; params['closest_objects'].append(1)",
      "params['objects_location'].append([1, 1]); params['objects_speed'].append(1)",
      "import builtins; builtins.float = None",
      "import sys; sys.stdout = None",
      "kept.append(params['waypoints']); kept[0].sort()",
  };
  for (const std::string& mischief : mischiefs) {
    INFO(mischief);
    const auto reward = files.Load(
        "import json\nkept = []\ncalls = []\n"
        "def reward_function(params):\n"
        "    calls.append(json.dumps(params))\n"
        "    " +
        mischief +
        "\n"
        "    with open('" +
        out +
        "', 'w') as file:\n"
        "        json.dump(calls, file)\n"
        "    return 1\n");
    REQUIRE(reward.ok());
    for (int i = 0; i < 3; ++i) files.Call(**reward);
    const auto calls = nlohmann::json::parse(ReadFile(out).value());
    REQUIRE(calls.size() == 3);
    CHECK(calls[1] == calls[0]);
    CHECK(calls[2] == calls[0]);
  }
}

// Steps that differ in every key, some with objects.
std::vector<sim::StepFacts> DifferentSteps(const tracks::Track& view) {
  std::vector<sim::StepFacts> steps;
  for (int i = 0; i < 6; ++i) {
    sim::StepFacts& facts =
        steps.emplace_back(FactsAt(view, view.PointAt(2.3 * i, 0.1 - 0.05 * i)));
    facts.car.yaw_rad = 0.5 * i - 1;
    facts.speed_cmd_mps = 1 + i;
    facts.steering_cmd_rad = 0.1 * i;
    facts.progress_pct = 10 * i;
    facts.steps = 2 + i;
    facts.sim_time_s = 0.1 * i;
    facts.all_wheels_on_track = i % 2 == 0;
    facts.is_off_track = i % 3 == 0;
    facts.num_objects = i / 2 % 2;  // none, one, none
    facts.objects[0] = {.position_m = {1.0 * i, 0.2}, .arc_length_m = 1.0 + i};
  }
  return steps;
}

TEST_CASE("What a function keeps stays as it was, and it sees what any other sees") {
  const UserFiles files;
  const std::string out = (files.folder() / "seen.json").string();
  const auto seen_with = [&](const std::string& habit) {
    const auto reward = files.Load(
        "import json\nseen, kept, texts, others = [], [], [], []\n"
        "def reward_function(params):\n"
        "    seen.append(json.dumps(params))\n"
        "    " +
        habit +
        "\n"
        "    texts.extend(json.dumps(k) for k in kept[len(texts):])\n"
        "    with open('" +
        out +
        "', 'w') as file:\n"
        "        json.dump(seen, file)\n"
        "    return all(json.dumps(k) == text for k, text in zip(kept, texts))\n");
    REQUIRE(reward.ok());
    for (const sim::StepFacts& facts : DifferentSteps(files.views().front())) {
      CHECK(files.Call(**reward, facts) == 1.0F);
    }
    return ReadFile(out).value();
  };

  const std::string plain = seen_with("pass");
  for (const std::string habit :
       {"kept.append(params)",
        "kept.append(params['x'])",
        "kept.append(list(params.values()))",
        "kept.append(dict(params))",
        "kept.extend(params.items())",
        "kept.append(params['closest_waypoints'])",
        "kept.append(params['closest_objects'])",
        "kept.append([params['objects_speed'], params['objects_location']])",
        "kept.append(params['objects_distance']); params['objects_distance'].append(1)",
        "kept.append([params[key] for key in ('heading', 'steps', 'track_length')])",
        "params['mine'] = params['y']; kept.append(params)",
        "del params['x']; kept.append(params)",
        "params['x'] = params['y']",
        "params['x'], params['y'] = params['y'], params['x']",
        "params['speed'] = 7.0; del params['steps']; params['steps'] = 3.0",
        "params['x'] = params.pop('x')",
        "params['closest_waypoints'] = [0, 0]",
        "others.append(params.values())",
        "others.append(iter(params))",
        "params.clear()",
        "others.append(lambda: params['x'])",
        "kept.append(params['is_offtrack'])"}) {
    INFO(habit);
    CHECK(seen_with(habit) == plain);
  }
}

TEST_CASE("The waypoints are one list as long as nobody changes it") {
  const UserFiles files;
  const auto reward = files.Load(
      "first = None\ndef reward_function(params):\n    global first\n"
      "    first = first or params['waypoints']\n"
      "    return first is params['waypoints']\n");
  REQUIRE(reward.ok());
  files.Call(**reward);
  CHECK(files.Call(**reward) == 1.0F);
}

}  // namespace
}  // namespace lapforge::reward
