// Tests the built-in driver: its line, its speeds, its actions, and the lines it is given.
#include "sim/pure_pursuit.h"

#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

// A point `lateral_m` to the left of the centerline every few centimetres.
DrivingLine LineBeside(const tracks::Track& track, double lateral_m, double first_m = 0) {
  DrivingLine line;
  const int num_points = 150;
  for (int i = 0; i < num_points; ++i) {
    const double arc_m = track.WrapArcLength(first_m + track.length_m() * i / num_points);
    line.points_m.push_back(track.PointAt(arc_m, lateral_m));
  }
  return line;
}

TEST_CASE("a car on the centerline of a circle gets the circle's steering and speed") {
  const double radius_m = 2;
  PursuitOptions options;
  options.max_speed_mps = 9;
  options.preview_s = 0;
  SimRig rig(LineOptions(), {CircleTrack(radius_m)});
  const PurePursuit driver(rig.sim(), options);

  // the rear axle on the circle, tangent to it
  const CarSpec& car = rig.sim().car();
  const double to_rear_m = car.front_point_m - car.origin_to_com_m + car.com_to_rear_axle_m;
  rig.sim().Place(0, {{radius_m, to_rear_m}, kPi / 2, 1});
  const CarCommand command = driver.CommandOf(0);
  CHECK(command.steering_rad == Approx(std::atan(car.wheelbase_m() / radius_m)).epsilon(0.02));
  CHECK(command.speed_mps == Approx(std::sqrt(options.lateral_mps2 * radius_m)).epsilon(0.01));

  options.max_speed_mps = 1.5;
  CHECK(PurePursuit(rig.sim(), options).CommandOf(0).speed_mps == Approx(1.5));
}

TEST_CASE("the driver brakes for a bend with no more than the braking allowed") {
  PursuitOptions options;
  options.max_speed_mps = 6;
  options.preview_s = 0;
  SimRig rig(LineOptions(), {ValueOf(tracks::LoadBuiltInTrack("hairpins"))});
  const PurePursuit driver(rig.sim(), options);
  const tracks::Track& track = rig.sim().tracks()[0];
  const auto speed_at_mps = [&](double arc_m) {
    rig.sim().Place(0, {track.CenterAt(arc_m), track.TangentYawAt(arc_m), 0});
    return driver.CommandOf(0).speed_mps;
  };
  constexpr double kStepM = 0.2;
  double last_mps = speed_at_mps(0);
  double hardest_mps2 = 0;
  for (double arc_m = kStepM; arc_m < track.length_m(); arc_m += kStepM) {
    const double mps = speed_at_mps(arc_m);
    hardest_mps2 = std::max(hardest_mps2, (last_mps * last_mps - mps * mps) / (2 * kStepM));
    last_mps = mps;
  }
  CHECK(hardest_mps2 == Approx(options.braking_mps2).epsilon(0.03));
}

TEST_CASE("a given line is driven instead of the centerline, wherever it begins") {
  for (const double first_m : {0.0, 4.0}) {
    SimRig rig(LineOptions(), {CircleTrack(2, 1.2)});
    PurePursuit driver(rig.sim());
    DrivingLine line = LineBeside(rig.sim().tracks()[0], 0.3, first_m);
    line.speeds_mps.assign(line.points_m.size(), 1.25);
    const Result<void> followed = driver.Follow(0, line);
    INFO((followed.ok() ? "" : followed.error().message));
    REQUIRE(followed.ok());
    for (int step = 0; step < 200; ++step) {
      driver.Decide(rig.actions);
      rig.Step();
    }
    CHECK(rig.facts[0].position.lateral_offset_m == Approx(0.3).margin(0.03));
    CHECK(rig.facts[0].car.velocity_body_mps.x == Approx(1.25).epsilon(0.03));
  }
}

TEST_CASE("a given line without speeds gets those of its own curvature") {
  PursuitOptions options;
  options.max_speed_mps = 9;
  SimRig rig(LineOptions(), {CircleTrack(2, 1.2)});
  PurePursuit driver(rig.sim(), options);
  REQUIRE(driver.Follow(0, LineBeside(rig.sim().tracks()[0], 0.3)).ok());
  CHECK(driver.CommandOf(0).speed_mps == Approx(std::sqrt(4 * 1.7)).epsilon(0.02));
}

TEST_CASE("lines that cannot be driven are refused with what is wrong") {
  SimRig rig(LineOptions(), {CircleTrack(), StraightTrack()});
  PurePursuit driver(rig.sim());
  const auto message = [&](int track_index, const DrivingLine& line) {
    const Result<void> followed = driver.Follow(track_index, line);
    REQUIRE(!followed.ok());
    return followed.error().message;
  };
  const DrivingLine good = LineBeside(rig.sim().tracks()[0], 0);
  CHECK(message(0, {}).find("0 points") != std::string::npos);
  CHECK(message(1, good).size() > 10);

  DrivingLine line = good;
  line.speeds_mps = {1};
  CHECK(message(0, line).find("1 speeds") != std::string::npos);
  line = good;
  std::swap(line.points_m[20], line.points_m[60]);
  CHECK(message(0, line).find("behind the one before") != std::string::npos);
  line = good;
  std::reverse(line.points_m.begin(), line.points_m.end());
  CHECK(message(0, line).find("driving direction") != std::string::npos);

  DrivingLine half;
  half.points_m = {{0, 0}, {2, 0}, {4, 0}};
  CHECK(message(2, half).find("covers 4 m of the 10 m") != std::string::npos);
}

TEST_CASE("discrete actions are the nearest ones") {
  SimOptions options = LineOptions();
  options.actions.kind = ActionKind::kDiscrete;
  options.actions.discrete_steering_deg = {-25, 0, 25, 0};
  options.actions.discrete_speed_mps = {1, 2, 1, 1};
  SimRig rig(options, {CircleTrack(3, 2)});
  const auto action_at = [&](double heading_error_rad, double max_speed_mps) {
    PursuitOptions pursuit;
    pursuit.max_speed_mps = max_speed_mps;
    rig.sim().Place(0, {{3, 0}, kPi / 2 + heading_error_rad, 0});
    PurePursuit(rig.sim(), pursuit).Decide(rig.actions);
    return rig.actions[0];
  };
  CHECK(action_at(0, 2) == 1);
  CHECK(action_at(0, 0.8) == 3);
  CHECK(action_at(-0.8, 1) == 2);
  CHECK(action_at(0.8, 1) == 0);
}

TEST_CASE("options of the driver are checked by name") {
  PursuitOptions options;
  CHECK(Validate(options).ok());
  options.braking_mps2 = 0;
  REQUIRE(!Validate(options).ok());
  CHECK(Validate(options).error().message.find("braking_mps2") != std::string::npos);
}

}  // namespace
}  // namespace lapforge::sim
