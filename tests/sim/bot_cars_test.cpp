// Tests bot cars: how they follow lanes and change them, and what cars see and feel of them.
#include "sim/objects/bot_cars.h"

#include "sim/objects/object_facts.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

constexpr double kSubstepS = 1 / 120.0;

SimOptions BotOptions(int count, double speed_mps = 0.5) {
  SimOptions options = LineOptions();
  options.objects.kind = ObjectKind::kBot;
  options.objects.count = count;
  options.objects.bot_speed_mps = speed_mps;
  return options;
}

/// Bots on a road without cars.
struct BotRig {
  BotRig(const SimOptions& used, const tracks::Track& view)
      : options(used),
        forward(view.is_reversed() ? view.Reversed() : view),
        driven(view),
        bots(static_cast<size_t>(used.objects.count)) {
    PlaceBots(road(), forward, {}, bots);
  }
  BotRoad road() const { return {options, driven, 0, 0}; }
  void Drive(double duration_s) {
    for (int i = 0; i < static_cast<int>(std::lround(duration_s / kSubstepS)); ++i) {
      AdvanceBots(road(), kSubstepS, bots);
    }
  }
  double radius_m(size_t i) const { return Length(bots[i].motion.middle_m); }

  SimOptions options;
  tracks::Track forward;
  tracks::Track driven;
  std::vector<BotState> bots;
};

TEST_CASE("a bot drives speed times time along its lane, on a ring's two lanes and its middle") {
  for (const double lane : {1.0, 0.0, -1.0}) {
    SimOptions options = BotOptions(1, 0.7);
    options.objects.placement = ObjectPlacement::kListed;
    options.objects.positions_frac = {0};
    options.objects.lanes = {lane};
    for (const bool is_reversed : {false, true}) {
      const tracks::Track track = CircleTrack(3, 0.8);
      BotRig rig(options, is_reversed ? track.Reversed() : track);
      const double radius_m = 3 - 0.2 * lane;  // the inner border is on the left
      CAPTURE(lane, is_reversed);
      // once round and 2 m further; a polygon of 120 corners is 0.011 % shorter than its circle
      const double lap_m = 120 * 2 * radius_m * std::sin(kPi / 120);
      rig.Drive((lap_m + 2) / 0.7);
      const Vec2 at_m = rig.bots[0].motion.middle_m;
      const double angle_rad = std::atan2(at_m.y, at_m.x) * (is_reversed ? -1 : 1);
      CHECK(angle_rad * radius_m == Approx(2).margin(0.01));
      CHECK(rig.radius_m(0) == Approx(radius_m).margin(2e-3));
      CHECK(Length(rig.bots[0].motion.velocity_mps) == Approx(0.7).epsilon(1e-4));
      // turned along the ring, turning at speed over radius
      const double tangent_rad = std::atan2(at_m.y, at_m.x) + (is_reversed ? -kPi / 2 : kPi / 2);
      CHECK(WrapAngle(rig.bots[0].motion.yaw_rad - tangent_rad) == Approx(0).margin(0.002));
      CHECK(std::abs(rig.bots[0].motion.yaw_rate_radps) == Approx(0.7 / radius_m).epsilon(0.01));
    }
  }
}

TEST_CASE("a bot on DeepRacer's tracks gets speed times time further along its lane") {
  const auto files = SharedTrackFiles();
  for (size_t file = 0; file < files.size(); file += 9) {
    const tracks::Track track = ValueOf(tracks::LoadTrackFile(files[file]));
    if (!track.is_closed()) continue;
    // the lane as a polyline, summed up here
    const bool inner_is_left = track.inner_is_left();
    std::vector<Vec2> lane;
    for (int i = 0; i < track.num_waypoints(); ++i) {
      const tracks::Waypoint waypoint = track.waypoint(i);
      lane.push_back(
          Lerp(waypoint.center_m, inner_is_left ? waypoint.left_m : waypoint.right_m, 0.5));
    }
    double lane_m = 0;
    for (size_t i = 1; i < lane.size(); ++i) lane_m += Length(lane[i] - lane[i - 1]);

    SimOptions options = BotOptions(1, 1);
    options.objects.placement = ObjectPlacement::kListed;
    options.objects.positions_frac = {0.3};
    options.objects.lanes = {1};
    BotRig rig(options, track);
    const Vec2 start_m = rig.bots[0].motion.middle_m;
    rig.Drive(std::round(lane_m / kSubstepS) * kSubstepS);
    CAPTURE(files[file].filename().string(), lane_m);
    CHECK(Length(rig.bots[0].motion.middle_m - start_m) < 0.01);
  }
}

TEST_CASE("a bot changes lanes within its distance and times, at its speed all the while") {
  SimOptions options = BotOptions(1, 0.5);
  options.objects.placement = ObjectPlacement::kListed;
  options.objects.positions_frac = {0};
  options.objects.lanes = {1};
  options.objects.lane_changes = true;
  options.objects.lane_change_low_s = 2;
  options.objects.lane_change_high_s = 4;
  BotRig rig(options, CircleTrack(6, 0.8));
  std::vector<double> waits_s, changes_m;
  double state_s = 0;
  bool was_changing = false;
  double widest_yaw_rad = 0, driven_m = 0;
  for (int i = 0; i < 120 * 200; ++i) {
    const Vec2 before_m = rig.bots[0].motion.middle_m;
    AdvanceBots(rig.road(), kSubstepS, rig.bots);
    const BotState& bot = rig.bots[0];
    REQUIRE(Length(bot.motion.middle_m - before_m) == Approx(0.5 * kSubstepS).epsilon(3e-2));
    driven_m += Length(bot.motion.middle_m - before_m);
    REQUIRE(std::abs(bot.lane) <= 1);
    const bool is_changing = bot.change_m < 1;
    state_s += kSubstepS;
    const Vec2 at_m = bot.motion.middle_m;
    const double tangent_rad = std::atan2(at_m.y, at_m.x) + kPi / 2;
    widest_yaw_rad =
        std::max(widest_yaw_rad, std::abs(WrapAngle(bot.motion.yaw_rad - tangent_rad)));
    if (is_changing == was_changing) continue;
    (was_changing ? changes_m : waits_s).push_back(state_s * (was_changing ? 0.5 : 1));
    state_s = 0;
    was_changing = is_changing;
  }
  // a substep over a corner of the polygon may differ; all together they do not
  CHECK(driven_m == Approx(0.5 * 200).epsilon(1e-3));
  REQUIRE(waits_s.size() > 25);
  for (const double wait_s : waits_s) {
    CHECK(wait_s > 1.98);
    CHECK(wait_s < 4.02);
  }
  CHECK(*std::max_element(waits_s.begin(), waits_s.end()) -
            *std::min_element(waits_s.begin(), waits_s.end()) >
        1);
  for (const double change_m : changes_m) CHECK(change_m == Approx(1).margin(0.02));
  // the cubic is steepest halfway: 1.5 * 0.4 m over 1 m
  CHECK(widest_yaw_rad == Approx(std::asin(0.6)).margin(0.03));
}

TEST_CASE("bots stay apart while they change lanes, and differ from episode to episode") {
  SimOptions options = BotOptions(5, 0.6);
  options.objects.placement = ObjectPlacement::kRandom;
  options.objects.lane_changes = true;
  BotRig rig(options, CircleTrack(3, 1));
  double nearest_m = 9;
  for (int i = 0; i < 120 * 60; ++i) {
    AdvanceBots(rig.road(), kSubstepS, rig.bots);
    for (size_t a = 0; a < 5; ++a) {
      for (size_t b = 0; b < a; ++b) {
        nearest_m =
            std::min(nearest_m, Length(rig.bots[a].motion.middle_m - rig.bots[b].motion.middle_m));
      }
    }
  }
  CHECK(nearest_m > TestCar().body_length_m);

  BotRig again(options, CircleTrack(3, 1));
  again.Drive(60);
  CHECK(again.bots[3].motion.middle_m == rig.bots[3].motion.middle_m);
  options.seed = 2;
  BotRig other(options, CircleTrack(3, 1));
  CHECK(other.bots[3].motion.middle_m !=
        BotRig(rig.options, CircleTrack(3, 1)).bots[3].motion.middle_m);
}

TEST_CASE("at the end of an open road a bot stops") {
  SimOptions options = BotOptions(1, 1);
  BotRig rig(options, StraightTrack(10));
  rig.Drive(9);
  CHECK(rig.bots[0].motion.middle_m.x == Approx(10));
  CHECK(Length(rig.bots[0].motion.velocity_mps) == 0);
}

TEST_CASE("the facts list bots in the order of the road, as they drive") {
  SimOptions options = BotOptions(3, 0.5);
  options.episode.max_steps = 200;
  SimRig rig(options, {CircleTrack(3, 1.0)});
  // the car stands still and no rule ends its episode
  rig.SetActions(0, -1);
  const StepFacts start = rig.sim().now(0);
  REQUIRE(start.num_objects == 3);
  for (int i = 0; i < 15; ++i) rig.Step();
  const StepFacts& later = rig.sim().now(0);
  for (int i = 0; i < 3; ++i) {
    const ObjectFacts& bot = later.objects[i];
    CHECK(bot.kind == ObjectKind::kBot);
    CHECK(bot.speed_mps == Approx(0.5).epsilon(1e-3));
    CHECK(bot.length_m == Approx(TestCar().body_length_m));
    // a second: half a metre along the lane, and none over the line yet
    const double radius_m = Length(bot.position_m);
    CHECK((bot.arc_length_m - start.objects[i].arc_length_m) * radius_m / 3 ==
          Approx(0.5).margin(0.01));
    CHECK(bot.lateral_offset_m == Approx(start.objects[i].lateral_offset_m).margin(2e-3));
    CHECK(WrapAngle(bot.yaw_rad - rig.track().TangentYawAt(bot.arc_length_m)) ==
          Approx(0).margin(0.03));
  }
}

TEST_CASE("a car that catches up with a bot has crashed, one that a bot runs into has not") {
  SimOptions options = BotOptions(1, 0.5);
  options.objects.placement = ObjectPlacement::kListed;
  options.objects.positions_frac = {0.3};
  options.objects.lanes = {0};
  options.episode.stuck_steps = 0;
  SimRig rig(options, {StraightTrack(20, 1.2)});
  rig.SetActions(0, 1);
  for (int i = 0; i < 200 && !rig.facts[0].ended(); ++i) rig.Step();
  CHECK(rig.facts[0].reason == EndReason::kCrashed);
  CHECK(rig.facts[0].is_crashed);

  // standing in the bot's way it is pushed along
  options.actions.speed_low_mps = 0;
  SimRig standing(options, {StraightTrack(20, 1.2)});
  standing.sim().Place(0, {{8, 0}, 0, 0, 0.3, 0});
  standing.SetActions(0, -1);
  for (int i = 0; i < 150; ++i) {
    standing.Step();
    REQUIRE(!standing.facts[0].is_crashed);
    REQUIRE(!standing.facts[0].ended());
  }
  // the bot is at 6 + 5 m and the car before it
  const StepFacts& pushed = standing.sim().now(0);
  CHECK(pushed.objects[0].position_m.x == Approx(11).margin(0.02));
  CHECK(pushed.car.position_world_m.x - pushed.objects[0].position_m.x ==
        Approx(TestCar().body_length_m).margin(0.03));
  CHECK(pushed.car.velocity_body_mps.x == Approx(0.5).margin(0.1));
}

TEST_CASE("camera and lidar see bots") {
  SimOptions options = BotOptions(1, 0.5);
  options.objects.placement = ObjectPlacement::kListed;
  options.objects.positions_frac = {0.1};
  options.objects.lanes = {0};
  options.sensors.kinds = {"lidar", "camera"};
  options.sensors.lidar.num_beams = 1;
  options.sensors.lidar.noise_m = 0;
  options.sensors.lidar.sees_borders = false;
  options.sensors.camera.texel_m = 0.02;
  options.objects.gray_level = 0;
  SimRig rig(options, {StraightTrack(20, 1.2)});
  const CarSpec car = TestCar();
  const double mount_m = rig.sim().now(0).car.position_world_m.x + options.sensors.lidar.mount_x_m -
                         car.origin_to_com_m;
  // the bot's rear is half a body behind 2 m
  CHECK(rig.Row()[0] == Approx(2 - car.body_length_m / 2 - mount_m).margin(1e-3));
  const auto num_black = [](const SimRig& seen) {
    const std::byte* const pixels = seen.observations.data() + sizeof(float);
    return std::count(pixels, pixels + 160 * 120, std::byte{0});
  };
  CHECK(num_black(rig) > 50);
  options.objects.count = 0;
  options.objects.positions_frac = {};
  options.objects.lanes = {};
  SimRig empty(options, {StraightTrack(20, 1.2)});
  CHECK(empty.Row()[0] == 12.0f);
  CHECK(num_black(empty) == 0);
}

TEST_CASE("10,000 steps after a restore bots and cars give the same bits") {
  SimOptions options = BotOptions(4, 0.4);
  options.num_envs = 2;
  options.objects.placement = ObjectPlacement::kRandom;
  options.objects.lane_changes = true;
  options.objects.crash_margin_m = 0;
  options.episode.max_steps = 300;
  options.episode.max_resets = 1000000;  // so that the car runs into bots again and again
  const auto advance = [](SimRig& rig, int num_steps) {
    for (int i = 0; i < num_steps; ++i) {
      rig.Pursue(-0.2f);
      rig.Step();
    }
  };
  SimRig original(options, {CircleTrack(3, 1.0)});
  advance(original, 333);
  const std::vector<std::byte> saved = original.sim().Save();
  SimRig used(options, {CircleTrack(3, 1.0)}, 2);
  advance(used, 77);
  SimRig fresh(options, {CircleTrack(3, 1.0)});
  REQUIRE(used.sim().Restore(saved).ok());
  REQUIRE(fresh.sim().Restore(saved).ok());
  int num_crashes = 0;
  for (int i = 0; i < 10000; ++i) {
    for (SimRig* rig : {&original, &used, &fresh}) advance(*rig, 1);
    num_crashes += original.facts[0].is_crashed ? 1 : 0;
    REQUIRE(used.sim().StateHash() == original.sim().StateHash());
    REQUIRE(fresh.sim().StateHash() == original.sim().StateHash());
  }
  CHECK(num_crashes > 5);
}

}  // namespace
}  // namespace lapforge::sim
