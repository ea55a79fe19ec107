// Tests domain randomization: its ranges, what it changes, and that every sensor, box and draw
// survives threads and restores to the bit.
#include "sim/episode/variation.h"

#include "sim/base/rng.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

RandomizeOptions Everything() {
  RandomizeOptions randomize;
  randomize.friction_frac = 0.3;
  randomize.mass_frac = 0.2;
  randomize.com_shift_m = 0.01;
  randomize.drive_frac = 0.2;
  randomize.speed_gain_frac = 0.1;
  randomize.steering_gain_frac = 0.1;
  randomize.steering_trim_deg = 3;
  randomize.steering_lag_frac = 0.5;
  randomize.motor_lag_frac = 0.5;
  randomize.latency_steps = 2;
  randomize.camera_shift_m = 0.01;
  randomize.camera_turn_deg = 2;
  randomize.camera_fov_frac = 0.05;
  randomize.brightness_levels = 30;
  randomize.contrast_frac = 0.3;
  randomize.blur_frac = 1;
  randomize.light_frac = 0.3;
  randomize.num_grounds = 3;
  randomize.noise_frac = 0.5;
  return randomize;
}

// All sensors, boxes and walls, everything random.
SimOptions FullOptions(int num_envs) {
  SimOptions options;
  options.num_envs = num_envs;
  options.walls = true;
  options.episode.max_steps = 40;
  options.episode.direction = DirectionMode::kAlternate;
  options.objects.count = 4;
  options.objects.placement = ObjectPlacement::kRandom;
  options.randomize = Everything();
  options.sensors.kinds = {"track_state", "lidar", "camera", "imu", "wheel_speed", "objects_ahead"};
  options.sensors.lidar.dropout_frac = 0.05;
  options.sensors.camera.width_px = 32;
  options.sensors.camera.height_px = 24;
  options.sensors.camera.noise_levels = 4;
  options.sensors.camera.texel_m = 0.02;
  options.sensors.imu.accel_noise_mps2 = 0.1;
  options.sensors.imu.gyro_bias_radps = 0.05;
  options.sensors.wheel_speed.noise_mps = 0.02;
  options.sensors.wheel_speed.scale_error_frac = 0.01;
  return options;
}

void FillActions(int step, std::vector<float>& actions) {
  for (size_t i = 0; i < actions.size() / 2; ++i) {
    RngStream random(9, static_cast<uint32_t>(i), static_cast<uint32_t>(step / 4),
                     RngPurpose::kTest);
    actions[2 * i] = static_cast<float>(random.Uniform(-1, 1));
    actions[2 * i + 1] = static_cast<float>(random.Uniform(-0.8, 0.6));
  }
}

TEST_CASE("nothing varies unless asked for") {
  CHECK(DrawVariation(SimOptions(), 3, 5) == EpisodeVariation());
  CHECK(!VariesCar(RandomizeOptions()));
}

TEST_CASE("draws stay in their ranges and fill them") {
  SimOptions options;
  options.randomize = Everything();
  float low = 9, high = -9;
  std::array<int, 3> latencies{};
  std::array<int, 3> grounds{};
  for (int env = 0; env < 500; ++env) {
    const EpisodeVariation variation = DrawVariation(options, env, 1);
    low = std::min(low, variation.friction_factor);
    high = std::max(high, variation.friction_factor);
    CHECK(std::abs(variation.steering_trim_rad) <= RadFromDeg(3) + 1e-6);
    CHECK(variation.blur_frac >= 0);
    CHECK(variation.blur_frac <= 1);
    ++latencies.at(static_cast<size_t>(variation.latency_steps));
    ++grounds.at(static_cast<size_t>(variation.ground_index));
  }
  CHECK(low == Approx(0.7).margin(0.02));
  CHECK(high == Approx(1.3).margin(0.02));
  for (const int count : latencies) CHECK(count > 100);
  for (const int count : grounds) CHECK(count > 100);
}

TEST_CASE("switching one range on leaves the other draws as they were") {
  SimOptions options;
  options.randomize.friction_frac = 0.3;
  const EpisodeVariation one = DrawVariation(options, 7, 2);
  options.randomize.mass_frac = 0.2;
  options.randomize.camera_turn_deg = 5;
  const EpisodeVariation more = DrawVariation(options, 7, 2);
  CHECK(one.friction_factor == more.friction_factor);
  CHECK(one.mass_factor == 1);
  CHECK(more.mass_factor != 1);
}

TEST_CASE("a shifted centre of mass loads the wheels as levers say, and moves nothing else") {
  SimOptions options = LineOptions(12);
  options.actions.speed_low_mps = 0;
  options.episode.stuck_steps = 0;
  options.sensors.kinds = {"lidar"};
  options.sensors.lidar.noise_m = 0;
  options.sensors.lidar.min_range_m = 0;
  SimRig usual(options, {StraightTrack(20, 1)});
  options.randomize.com_shift_m = 0.015;
  SimRig shifted(options, {StraightTrack(20, 1)});
  const CarSpec car = TestCar();
  for (SimRig* rig : {&usual, &shifted}) {
    rig->SetActions(0, -1);
    for (int step = 0; step < 20; ++step) rig->Step();
  }
  float furthest_m = 0;
  for (int env = 0; env < 12; ++env) {
    const auto shift = DrawVariation(options, env, 0).com_shift_m;
    for (const float one_m : shift) furthest_m = std::max(furthest_m, std::abs(one_m));
    const StepFacts& facts = shifted.facts[env];
    const double front_share = (car.com_to_rear_axle_m + double{shift[0]}) /
                               (car.com_to_front_axle_m + car.com_to_rear_axle_m);
    const double weight_n = car.mass_kg * 9.81;
    for (const int wheel : {kRearLeft, kRearRight, kFrontLeft, kFrontRight}) {
      const bool is_front = wheel == kFrontLeft || wheel == kFrontRight;
      const double track_m = is_front ? car.front_axle_track_m : car.rear_axle_track_m;
      const double side = wheel == kFrontLeft || wheel == kRearLeft ? 1 : -1;
      CAPTURE(env, wheel);
      CHECK(facts.car.normal_load_n[wheel] ==
            Approx(weight_n * (is_front ? front_share : 1 - front_share) *
                   (0.5 + side * double{shift[1]} / track_m))
                .epsilon(0.01));
    }
    CHECK(facts.car.position_world_m.z == Approx(car.com_height_m + double{shift[2]}).margin(1e-4));
    CHECK(Length(facts.front_point_m - usual.facts[env].front_point_m) < 1e-4);
    for (size_t wheel = 0; wheel < kNumWheels; ++wheel) {
      CHECK(Length(facts.wheels_m[wheel] - usual.facts[env].wheels_m[wheel]) < 1e-4);
    }
    for (int beam = 0; beam < 64; ++beam) {
      CHECK(shifted.Row(env)[beam] == Approx(usual.Row(env)[beam]).epsilon(2e-3));
    }
  }
  CHECK(furthest_m > 0.012);
}

TEST_CASE("a centre of mass outside the wheels is refused") {
  SimOptions options;
  options.randomize.com_shift_m = 0.09;
  ThreadPool pool(1);
  const auto made = VectorSim::Create(options, TestCar(), {CircleTrack()}, &pool);
  REQUIRE(!made.ok());
  CHECK(made.error().message.find("randomize.com_shift_m 0.09 is too much for car rc_1_18") !=
        std::string::npos);
}

TEST_CASE("a varied car drives like a car with those numbers") {
  // the same as a car file that says so, to the bit
  SimOptions options = LineOptions();
  options.randomize.friction_frac = 0.5;
  options.randomize.mass_frac = 0.3;
  options.randomize.drive_frac = 0.3;
  options.randomize.motor_lag_frac = 0.9;
  SimRig varied(options, {CircleTrack(3, 5)});
  const EpisodeVariation variation = DrawVariation(options, 0, 0);
  SimRig plain(LineOptions(), VaryCar(TestCar(), variation), {CircleTrack(3, 5)});
  for (int step = 0; step < 25; ++step) {
    for (SimRig* rig : {&varied, &plain}) {
      rig->SetActions(0.3f, step < 15 ? 0.5f : -0.5f);
      rig->Step();
    }
    REQUIRE(!varied.facts[0].ended());
    REQUIRE(varied.facts[0].front_point_m == plain.facts[0].front_point_m);
    REQUIRE(varied.facts[0].car.normal_load_n == plain.facts[0].car.normal_load_n);
  }
  SimRig usual(LineOptions(), {CircleTrack(3, 5)});
  usual.SetActions(0.3f, 0.5f);
  for (int step = 0; step < 20; ++step) usual.Step();
  CHECK(usual.sim().now(0).front_point_m != plain.facts[0].front_point_m);
}

TEST_CASE("a steering trim turns a car that is told to go straight") {
  SimOptions options = LineOptions(20);
  options.randomize.steering_trim_deg = 8;
  SimRig rig(options, {StraightTrack(30, 3)});
  rig.SetActions(0, -0.4f);
  for (int step = 0; step < 15; ++step) rig.Step();
  for (int env = 0; env < 20; ++env) {
    const double trim_rad = DrawVariation(options, env, 0).steering_trim_rad;
    if (std::abs(trim_rad) < 0.01) continue;
    CAPTURE(trim_rad);
    CHECK(rig.facts[env].car.yaw_rad * trim_rad > 0);
    CHECK(rig.facts[env].steering_cmd_rad == 0);
  }
}

TEST_CASE("with everything on, results do not depend on the number of threads") {
  const std::vector<tracks::Track> tracks = {CircleTrack(3, 1.2), StraightTrack(12, 1.2)};
  SimRig one(FullOptions(7), tracks, 1);
  SimRig two(FullOptions(7), tracks, 2);
  SimRig four(FullOptions(7), tracks, 4);
  for (int step = 0; step < 150; ++step) {
    for (SimRig* rig : {&one, &two, &four}) {
      FillActions(step, rig->actions);
      rig->Step();
    }
    REQUIRE(one.sim().StateHash() == two.sim().StateHash());
    REQUIRE(one.sim().StateHash() == four.sim().StateHash());
    REQUIRE(one.observations == two.observations);
    REQUIRE(one.observations == four.observations);
  }
}

TEST_CASE("with everything on, a restored simulator goes on to the same bits and observations") {
  const std::vector<tracks::Track> tracks = {CircleTrack(3, 1.2)};
  for (const int save_step : {0, 17, 63}) {
    SimRig original(FullOptions(5), tracks);
    int step = 0;
    for (; step < save_step; ++step) {
      FillActions(step, original.actions);
      original.Step();
    }
    const std::vector<std::byte> saved = original.sim().Save();
    SimRig fresh(FullOptions(5), tracks);
    SimRig used(FullOptions(5), tracks, 2);
    for (int i = 500; i < 555; ++i) {
      FillActions(i, used.actions);
      used.Step();
    }
    for (SimRig* rig : {&fresh, &used}) {
      REQUIRE(rig->sim().Restore(saved).ok());
      rig->sim().Observe(rig->observations);
      CHECK(rig->observations == original.observations);
    }
    for (; step < save_step + 1500; ++step) {
      for (SimRig* rig : {&original, &fresh, &used}) {
        FillActions(step, rig->actions);
        rig->Step();
      }
      REQUIRE(fresh.sim().StateHash() == original.sim().StateHash());
      REQUIRE(used.sim().StateHash() == original.sim().StateHash());
      REQUIRE(fresh.observations == original.observations);
      REQUIRE(used.observations == original.observations);
    }
  }
}

}  // namespace
}  // namespace lapforge::sim
