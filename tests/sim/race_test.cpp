// Tests several cars in one world: they collide, see each other, race, and end their episodes
// alone.
#include <limits>

#include "sim/base/rng.h"
#include "sim/recording.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

constexpr double kSubstepS = 1 / 120.0;

SimOptions RaceOptions(int num_envs, int cars_per_world) {
  SimOptions options = LineOptions(num_envs);
  options.cars_per_world = cars_per_world;
  return options;
}

CarSpec CarNamed(const std::string& name) { return ValueOf(LoadBuiltInCar(name)); }

/// The lane halfway to the left border, or to the right one.
DrivingLine LaneOf(const tracks::Track& track, bool is_left) {
  DrivingLine line;
  for (int i = 0; i < track.num_segments(); ++i) {
    const tracks::Waypoint waypoint = track.waypoint(i);
    line.points_m.push_back(
        Lerp(waypoint.center_m, is_left ? waypoint.left_m : waypoint.right_m, 0.5));
  }
  return line;
}

/// Takes the rows of a driver for the cars of one index.
void Decide(const PurePursuit& driver, int car_index, int cars_per_world, SimRig& rig) {
  std::vector<float> actions(rig.actions.size());
  driver.Decide(actions);
  const size_t step = 2 * static_cast<size_t>(cars_per_world);
  for (size_t i = 2 * static_cast<size_t>(car_index); i < actions.size(); i += step) {
    std::copy_n(actions.begin() + static_cast<long>(i), 2,
                rig.actions.begin() + static_cast<long>(i));
  }
}

Vec3 MomentumOf(const CarSpec& car, const BodyState& body) {
  const Vec3 velocity = VelocityOf(body);
  const double spin_nms = car.inertia_kgm2.z * static_cast<double>(body.angular_velocity_radps[2]);
  return {
      car.mass_kg * velocity.x, car.mass_kg * velocity.y,
      spin_nms + car.mass_kg * (body.position_m[0] * velocity.y - body.position_m[1] * velocity.x)};
}

TEST_CASE("two cars that collide on ice keep their momentum and lose energy") {
  CarSpec light = CarNamed("rc_1_18");
  light.friction = light.rolling_resistance_frac = 0;
  CarSpec heavy = light;  // as high, so that neither pitches onto the floor
  heavy.mass_kg *= 3;
  heavy.inertia_kgm2 *= 3;
  const CarWorld::Models models = {std::make_shared<const VehicleModel>(light, kSubstepS),
                                   std::make_shared<const VehicleModel>(heavy, kSubstepS)};
  for (const double aside_m : {0.0, 0.1}) {
    CarWorld world(models, nullptr);
    world.set_state(StandingBody(*models[0], {0, aside_m}, 0, 2), 0);
    world.set_state(StandingBody(*models[1], {1.5, 0}, kPi, 1), 1);
    const Vec3 before = MomentumOf(light, world.state(0)) + MomentumOf(heavy, world.state(1));
    double least_gap_m = 9;
    for (int i = 0; i < 120; ++i) {
      if (i % 8 == 0) world.BeginControlStep();
      for (int car = 0; car < 2; ++car) world.Drive(car, {0, 0});
      world.Advance();
      least_gap_m = std::min<double>(
          least_gap_m, std::abs(world.state(0).position_m[0] - world.state(1).position_m[0]));
    }
    const Vec3 after = MomentumOf(light, world.state(0)) + MomentumOf(heavy, world.state(1));
    CAPTURE(aside_m);
    CHECK(after.x == Approx(before.x).margin(0.01));
    CHECK(after.y == Approx(before.y).margin(0.01));
    // pushing bodies apart that are inside each other moves them without a speed
    CHECK(after.z == Approx(before.z).margin(0.15));
    const auto energy_j = [&](const CarSpec& car, const BodyState& body) {
      const Vec3 velocity = VelocityOf(body);
      return car.mass_kg / 2 * Dot(velocity, velocity);
    };
    CHECK(energy_j(light, world.state(0)) + energy_j(heavy, world.state(1)) <
          light.mass_kg / 2 * 4 + heavy.mass_kg / 2);
    // they met, and went no deeper into each other than a substep takes them
    CHECK(least_gap_m > light.body_length_m - 3 * kSubstepS);
    if (aside_m == 0) CHECK(world.state(0).velocity_mps[0] < -0.1f);
  }
}

TEST_CASE("a car out of the others' reach has the bits that it has alone") {
  SimOptions options = RaceOptions(2, 2);
  options.walls = true;
  options.episode.stuck_steps = options.episode.reversed_steps = 0;
  SimRig both(options, {CircleTrack(6, 1.2)});
  options.num_envs = options.cars_per_world = 1;
  SimRig alone(options, {CircleTrack(6, 1.2)});
  const Placement placement = {{0, 6}, kPi, 1, 9.4, 0};
  both.sim().Place(1, {{-6, 0}, -kPi / 2, 1, 18.8, 0});
  both.sim().Place(0, placement);
  alone.sim().Place(0, placement);
  bool has_touched = false;
  for (int i = 0; i < 60; ++i) {
    // car 0 keeps to the road, car 1 runs into the wall
    alone.Pursue(-0.5f);
    std::copy_n(alone.actions.begin(), 2, both.actions.begin());
    both.actions[2] = 1;
    both.actions[3] = 0;
    alone.Step();
    both.Step();
    has_touched |= both.facts[1].is_off_track || std::abs(both.facts[1].heading_error_rad) > 0.3;
    CAPTURE(i);
    REQUIRE(both.facts[0].car.position_world_m == alone.facts[0].car.position_world_m);
    REQUIRE(both.facts[0].car.yaw_rad == alone.facts[0].car.yaw_rad);
    REQUIRE(both.facts[0].car.wheel_speed_radps == alone.facts[0].car.wheel_speed_radps);
  }
  CHECK(has_touched);
}

TEST_CASE("cars line up behind the line on alternate lanes") {
  const tracks::Track track = CircleTrack(3, 1.0);
  SimRig rig(RaceOptions(6, 3), {track});
  for (int env = 0; env < 6; ++env) {
    const StepFacts& now = rig.sim().now(env);
    const int car = env % 3;
    CAPTURE(env);
    CHECK(track.ArcLengthDelta(0, now.position.arc_length_m) == Approx(-0.75 * car).margin(0.02));
    CHECK(now.position.lateral_offset_m == Approx(car % 2 == 0 ? 0.25 : -0.25).margin(0.01));
    CHECK(now.num_objects == 2);
    CHECK(now.race_position == car + 1);
    CHECK(now.progress_pct == 0);
    for (int i = 0; i < 2; ++i) CHECK(now.objects[i].kind == ObjectKind::kCar);
  }
}

TEST_CASE("the faster of two drivers on their lanes passes, and the facts say who leads") {
  SimRig rig(RaceOptions(2, 2), {CircleTrack(3, 1.4)});
  const tracks::Track& track = rig.sim().tracks()[0];
  PursuitOptions slow, fast;
  slow.max_speed_mps = 1;
  fast.max_speed_mps = 2.2;
  PurePursuit leader(rig.sim(), slow), chaser(rig.sim(), fast);
  REQUIRE(leader.Follow(0, LaneOf(track, true)).ok());
  REQUIRE(chaser.Follow(0, LaneOf(track, false)).ok());
  int passed_step = -1;
  for (int step = 0; step < 120; ++step) {
    Decide(leader, 0, 2, rig);
    Decide(chaser, 1, 2, rig);
    rig.Step();
    for (const StepFacts& facts : rig.facts) REQUIRE(!facts.ended());
    const StepFacts& first = rig.facts[0];
    // each is the other's object, where it really is
    const ObjectFacts& other = first.objects[0];
    REQUIRE(other.position_m.x == rig.facts[1].car.position_world_m.x);
    REQUIRE(other.yaw_rad == rig.facts[1].car.yaw_rad);
    REQUIRE(other.speed_mps == Approx(Length(rig.facts[1].car.velocity_body_mps)).margin(0.02));
    REQUIRE(first.race_position + rig.facts[1].race_position == 3);
    if (passed_step < 0 && rig.facts[1].race_position == 1) passed_step = step;
  }
  CHECK(rig.facts[1].race_position == 1);
  // 0.75 m at 1.2 m/s on a lane that is a quarter longer, and both begin at rest
  CHECK(passed_step > 8);
  CHECK(passed_step < 40);
}

TEST_CASE(
    "on the same line the faster one runs into the slower one, alone has crashed and restarts") {
  SimOptions options = RaceOptions(2, 2);
  SimRig rig(options, {CircleTrack(3, 1.0)});
  PursuitOptions slow, fast;
  slow.max_speed_mps = 0.7;
  fast.max_speed_mps = 2.5;
  const PurePursuit leader(rig.sim(), slow), chaser(rig.sim(), fast);
  int num_crashes = 0;
  for (int step = 0; step < 150; ++step) {
    const uint32_t episode = rig.sim().now(1).episode_index;
    Decide(leader, 0, 2, rig);
    Decide(chaser, 1, 2, rig);
    rig.Step();
    CAPTURE(step);
    REQUIRE(!rig.facts[0].ended());
    REQUIRE(!rig.facts[0].is_crashed);
    if (!rig.facts[1].ended()) continue;
    ++num_crashes;
    CHECK(rig.facts[1].reason == EndReason::kCrashed);
    CHECK(rig.facts[1].terminated);
    // a new episode where the road is free
    const StepFacts& again = rig.sim().now(1);
    CHECK(again.episode_index == episode + 1);
    CHECK(again.progress_pct == 0);
    CHECK(!again.is_crashed);
    CHECK(Length(again.front_point_m - rig.sim().now(0).front_point_m) > 0.4);
  }
  CHECK(num_crashes >= 1);
}

TEST_CASE("cars see each other: lidar, camera") {
  SimOptions options = RaceOptions(2, 2);
  options.sensors.kinds = {"lidar", "camera"};
  options.sensors.lidar.num_beams = 1;
  options.sensors.lidar.noise_m = 0;
  options.sensors.lidar.sees_borders = false;
  options.sensors.camera.texel_m = 0.02;
  options.objects.gray_level = 0;
  SimRig rig(options, {StraightTrack(20, 1.2)});
  rig.sim().Place(0, {{3, 0}, 0, 0, 1, 0});
  rig.sim().Place(1, {{5, 0}, 0, 0, 1, 0});
  rig.sim().Observe(rig.observations);
  const CarSpec car = TestCar();
  // both stand alike, 2 m apart: from mount to the other's rear
  const double mount_m = options.sensors.lidar.mount_x_m - car.origin_to_com_m;
  CHECK(rig.Row(0)[0] == Approx(2 - mount_m - car.body_length_m / 2).margin(1e-3));
  CHECK(rig.Row(1)[0] == 12.0f);
  const auto num_black = [&](int env) {
    const auto* const pixels = reinterpret_cast<const std::byte*>(rig.Row(env) + 1);
    return std::count(pixels, pixels + 160 * 120, std::byte{0});
  };
  CHECK(num_black(0) > 50);
  CHECK(num_black(1) == 0);
}

TEST_CASE("a car that meets a fault leaves the others as they are") {
  SimOptions options = RaceOptions(2, 2);
  options.objects.crash_margin_m = 0;
  options.episode.stuck_steps = 0;
  SimRig rig(options, {CircleTrack(3, 1.0)});
  // beside each other, touching
  rig.sim().Place(0, {{3, 0}, kPi / 2, 0, 0, 0});
  rig.sim().Place(1, {{3.19, 0}, kPi / 2, 0, 0, 0});
  rig.actions = {0, -1, std::numeric_limits<float>::quiet_NaN(), 0};
  for (int i = 0; i < 3; ++i) {
    rig.Step();
    CHECK(rig.facts[1].reason == EndReason::kFault);
    CHECK(rig.facts[0].reason == EndReason::kNone);
    CHECK(std::isfinite(rig.facts[0].car.position_world_m.x));
  }
  CHECK(rig.sim().num_faults() == 3);
}

void FillRandomly(int step, std::vector<float>& actions) {
  for (size_t i = 0; i < actions.size(); i += 2) {
    RngStream random(7, static_cast<uint32_t>(i), static_cast<uint32_t>(step / 5),
                     RngPurpose::kTest);
    actions[i] = static_cast<float>(random.Uniform(-0.4, 0.4));
    actions[i + 1] = static_cast<float>(random.Uniform(-0.6, 0.4));
  }
}

// A crowded pen: cars, bots and walls, and nothing ends but by faults.
SimOptions PenOptions() {
  SimOptions options = RaceOptions(8, 4);
  options.walls = true;
  options.objects.kind = ObjectKind::kBot;
  options.objects.count = 3;
  options.objects.lane_changes = true;
  options.objects.crash_margin_m = 0;
  options.episode.max_resets = 1000000;
  options.episode.max_steps = 900;
  options.episode.stuck_steps = 60;
  return options;
}

void Wander(SimRig& rig, int from_step, int to_step) {
  for (int step = from_step; step < to_step; ++step) {
    FillRandomly(step, rig.actions);
    rig.Step();
  }
}

TEST_CASE(
    "10,000 steps after a restore a crowd of cars gives the same bits, with 1 and 3 threads") {
  const std::vector<tracks::Track> tracks = {CircleTrack(1.2, 1.0)};
  const std::vector<CarSpec> cars = {CarNamed("rc_1_18"), CarNamed("rc_1_10")};
  SimRig original(PenOptions(), cars, tracks);
  Wander(original, 0, 150);
  const std::vector<std::byte> saved = original.sim().Save();
  SimRig fresh(PenOptions(), cars, tracks, 3);
  SimRig used(PenOptions(), cars, tracks);
  Wander(used, 5000, 5100);
  for (SimRig* rig : {&fresh, &used}) REQUIRE(rig->sim().Restore(saved).ok());
  int num_near = 0;
  for (int step = 150; step < 10150; ++step) {
    for (SimRig* rig : {&original, &fresh, &used}) Wander(*rig, step, step + 1);
    CAPTURE(step);
    const uint64_t hash = original.sim().StateHash();
    REQUIRE(fresh.sim().StateHash() == hash);
    REQUIRE(used.sim().StateHash() == hash);
    const StepFacts& facts = original.facts[0];
    for (int i = 0; i < facts.num_objects; ++i) {
      const Vec2 middle_m = {facts.car.position_world_m.x, facts.car.position_world_m.y};
      if (Length(facts.objects[i].position_m - middle_m) < 0.35) ++num_near;
    }
  }
  CHECK(num_near > 300);
}

TEST_CASE("a race is recorded and simulated again") {
  ThreadPool pool(1);
  const std::vector<CarSpec> cars = {CarNamed("rc_1_18"), CarNamed("rc_1_10")};
  SimRig rig(PenOptions(), cars, {CircleTrack(1.2, 1.0)});
  Recorder recorder(rig.sim());
  for (int step = 0; step < 100; ++step) {
    Wander(rig, step, step + 1);
    recorder.Add(rig.actions);
  }
  const auto path = std::filesystem::temp_directory_path() / "lapforge_race_test.rec";
  REQUIRE(SaveRecording(recorder.Take(), path).ok());
  const Recording loaded = ValueOf(LoadRecording(path));
  std::filesystem::remove(path);
  REQUIRE(loaded.cars.size() == 2);
  CHECK(loaded.cars[1].name == "rc_1_10");
  CHECK(ValueOf(Replay(loaded, &pool)).first_different_step == -1);
}

TEST_CASE("each env drives its own car model, with that car's bits and limits") {
  SimOptions options;
  options.num_envs = 4;
  options.actions.steering_high_deg = 45;
  options.actions.steering_low_deg = -45;
  const std::vector<CarSpec> cars = {CarNamed("rc_1_18"), CarNamed("rc_1_10")};
  SimRig mixed(options, cars, {CircleTrack(4, 1.6)});
  SimRig small(options, cars[0], {CircleTrack(4, 1.6)});
  SimRig large(options, cars[1], {CircleTrack(4, 1.6)});
  CHECK(mixed.sim().car(0).name == "rc_1_18");
  CHECK(mixed.sim().car(3).name == "rc_1_10");
  CHECK(mixed.sim().observation_spec().row_bytes == small.sim().observation_spec().row_bytes);
  for (int step = 0; step < 60; ++step) {
    for (SimRig* rig : {&mixed, &small, &large}) rig->SetActions(0.9f, -0.6f), rig->Step();
    for (int env = 0; env < 4; ++env) {
      const SimRig& same = env % 2 == 0 ? small : large;
      CAPTURE(step, env);
      REQUIRE(mixed.facts[env].car.position_world_m == same.facts[env].car.position_world_m);
      REQUIRE(mixed.facts[env].progress_pct == same.facts[env].progress_pct);
      REQUIRE(mixed.facts[env].car.steering_rad <= cars[env % 2].max_steering_rad + 1e-9);
    }
  }
}

TEST_CASE("options of worlds that do not fit are refused") {
  const auto error_of = [](const SimOptions& options) {
    const Result<void> checked = Validate(options);
    return checked.ok() ? std::string() : checked.error().message;
  };
  SimOptions options = RaceOptions(7, 2);
  CHECK(error_of(options).find("multiple of cars_per_world 2") != std::string::npos);
  options = RaceOptions(8, 4);
  options.objects.count = 6;
  CHECK(error_of(options).find("objects.count 6 and the 3 other cars") != std::string::npos);
  options = RaceOptions(8, 2);
  options.episode.direction = DirectionMode::kAlternate;
  CHECK(error_of(options).find("episode.direction alternate") != std::string::npos);
  options = LineOptions();
  options.objects.lane_change_low_s = 9;
  CHECK(error_of(options).find("objects.lane_change_low_s 9") != std::string::npos);
  ThreadPool pool(1);
  const auto none =
      VectorSim::Create(LineOptions(), std::vector<CarSpec>{}, {CircleTrack()}, &pool);
  REQUIRE(!none.ok());
  CHECK(none.error().message == "a simulator needs at least one car");
}

}  // namespace
}  // namespace lapforge::sim
