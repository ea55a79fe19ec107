// Tests that every sensor writes exactly its spec, and what several at once give.
#include "sim/sensors/sensor_suite.h"

#include <cstring>

#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

struct Variant {
  const char* name;
  SensorOptions sensors;
  std::vector<int> shape;  // of the first sensor
};

std::vector<Variant> AllVariants() {
  std::vector<Variant> variants;
  const auto add = [&](const char* name, std::vector<int> shape, const char* kind) {
    Variant variant{name, {}, std::move(shape)};
    variant.sensors.kinds = {kind};
    variants.push_back(variant);
    return &variants.back().sensors;
  };
  add("track state", {29}, "track_state");
  add("lidar", {64}, "lidar");
  SensorOptions* sensors = add("odd lidar", {7}, "lidar");
  sensors->lidar.num_beams = 7;
  sensors = add("sectors", {8}, "lidar");
  sensors->lidar.form = LidarForm::kSectors;
  sensors = add("discretized", {64}, "lidar");
  sensors->lidar.form = LidarForm::kDiscretized;
  add("imu", {6}, "imu");
  add("wheel speed", {4}, "wheel_speed");
  add("objects ahead", {12}, "objects_ahead");
  add("more objects ahead", {30}, "objects_ahead")->num_objects_ahead = 5;
  add("camera", {1, 120, 160}, "camera");
  sensors = add("small stereo camera", {2, 30, 40}, "camera");
  sensors->camera.width_px = 40;
  sensors->camera.height_px = 30;
  sensors->camera.stereo = true;
  sensors = add("colour fisheye with noise", {3, 48, 64}, "camera");
  sensors->camera.width_px = 64;
  sensors->camera.height_px = 48;
  sensors->camera.color = CameraColor::kRgb;
  sensors->camera.lens = CameraLensKind::kFisheye;
  sensors->camera.noise_levels = 3;
  return variants;
}

TEST_CASE("every sensor writes exactly its spec") {
  const CarSpec car = TestCar();
  const std::vector<tracks::Track> views = {CircleTrack(), CircleTrack().Reversed()};
  for (const Variant& variant : AllVariants()) {
    CAPTURE(variant.name);
    SimOptions options;
    options.sensors = variant.sensors;
    REQUIRE(Validate(options).ok());
    const auto suite = ValueOf(SensorSuite::Create(options, {&car, 1}, views));
    const SensorSpec& spec = suite->spec().sensors[0];
    CHECK(spec.shape == variant.shape);
    CHECK(spec.name == variant.sensors.kinds[0]);
    CHECK(spec.offset_bytes == 0);
    size_t size_bytes = spec.type == ObservationType::kUint8 ? 1 : 4;
    for (const int size : spec.shape) size_bytes *= static_cast<size_t>(size);
    CHECK(spec.size_bytes == size_bytes);

    // what is not written keeps its colour, and nothing outside the row changes
    EnvState state;
    state.now.car.position_world_m = {3, 0, 0.04};
    state.now.position = views[0].Project({3, 0});
    state.now.borders = views[0].NearestBorders(state.now.position);
    constexpr size_t kGuardBytes = 64;
    const size_t row_bytes = suite->spec().row_bytes;
    std::vector<std::byte> one(row_bytes + 2 * kGuardBytes, std::byte{0xAB});
    std::vector<std::byte> other(row_bytes + 2 * kGuardBytes, std::byte{0xC5});
    suite->Write(state, std::span(one).subspan(kGuardBytes, row_bytes));
    suite->Write(state, std::span(other).subspan(kGuardBytes, row_bytes));
    for (size_t i = 0; i < one.size(); ++i) {
      const bool is_inside = i >= kGuardBytes && i < kGuardBytes + spec.size_bytes;
      REQUIRE((one[i] == other[i]) == is_inside);
    }
  }
}

TEST_CASE("several sensors lie one after the other, in the order asked for") {
  SimOptions options = LineOptions(3);
  options.sensors.kinds = {"wheel_speed", "lidar", "track_state", "imu"};
  options.sensors.lidar.num_beams = 11;
  SimRig all(options, {CircleTrack()});
  const ObservationSpec& spec = all.sim().observation_spec();
  CHECK(spec.row_bytes == 4 * (4 + 11 + 29 + 6));
  CHECK(spec.sensors[0].offset_bytes == 0);
  CHECK(spec.sensors[1].offset_bytes == 4 * 4);
  CHECK(spec.sensors[2].offset_bytes == 4 * 15);
  CHECK(spec.sensors[3].offset_bytes == 4 * 44);

  // what does not draw random numbers is the same alone
  SimRig alone(LineOptions(3), {CircleTrack()});
  for (int step = 0; step < 30; ++step) {
    for (SimRig* rig : {&all, &alone}) {
      rig->SetActions(0.3f, 0.2f);
      rig->Step();
    }
    for (int env = 0; env < 3; ++env) {
      REQUIRE(std::memcmp(all.Row(env) + 15, alone.Row(env), 4 * 29) == 0);
    }
  }
}

TEST_CASE("standing still the inertial unit feels gravity alone") {
  SimOptions options = LineOptions();
  options.actions.speed_low_mps = 0;
  options.sensors.kinds = {"imu", "wheel_speed"};
  SimRig rig(options, {CircleTrack()});
  rig.SetActions(0, -1);
  for (int step = 0; step < 10; ++step) {
    CHECK(rig.Row()[2] == Approx(1).margin(1e-3));
    for (const int zero : {0, 1, 3, 4, 5, 6, 7, 8, 9}) {
      CHECK(rig.Row()[zero] == Approx(0).margin(2e-3));
    }
    rig.Step();
  }
}

TEST_CASE("in a steady turn the inertial unit feels speed times yaw rate") {
  SimOptions options = LineOptions();
  options.sensors.kinds = {"imu", "wheel_speed"};
  CarSpec car = TestCar();
  SimRig rig(options, car, {CircleTrack(3, 2.5)});
  rig.SetActions(0.28f, -0.3f);
  for (int step = 0; step < 60; ++step) rig.Step();
  REQUIRE(!rig.facts[0].ended());
  const CarState& state = rig.sim().now(0).car;
  const double yaw_rate_radps = state.angular_velocity_body_radps.z;
  // a body that leans also feels a part of its weight
  const double expected_mps2 =
      state.velocity_body_mps.x * yaw_rate_radps + 9.81 * std::sin(state.roll_rad);
  CHECK(rig.Row()[1] * 9.81 == Approx(expected_mps2).epsilon(0.02));
  CHECK(rig.Row()[0] == Approx(0).margin(0.05));
  CHECK(rig.Row()[5] * 5 == Approx(yaw_rate_radps).epsilon(1e-5));

  // the outer rear wheel turns faster, and by the rolling radius they give the speed
  const double half_track_m = car.rear_axle_track_m / 2;
  CHECK(rig.Row()[6] * 2 ==
        Approx(state.velocity_body_mps.x - half_track_m * yaw_rate_radps).epsilon(0.05));
  CHECK(rig.Row()[7] * 2 ==
        Approx(state.velocity_body_mps.x + half_track_m * yaw_rate_radps).epsilon(0.05));
}

TEST_CASE("biases hold for an episode and noise for a step") {
  SimOptions options = LineOptions(200);
  options.actions.speed_low_mps = 0;
  options.episode.max_steps = 3;
  options.sensors.kinds = {"imu", "wheel_speed"};
  options.sensors.imu.accel_bias_mps2 = 0.5;
  options.sensors.imu.gyro_noise_radps = 0.1;
  options.sensors.wheel_speed.scale_error_frac = 0.02;
  SimRig rig(options, {CircleTrack()});
  rig.SetActions(0, -1);
  std::vector<float> first;
  double sum_of_squares = 0, gyro_squares = 0;
  for (int env = 0; env < 200; ++env) {
    first.push_back(rig.Row(env)[0]);
    sum_of_squares += std::pow(rig.Row(env)[0] * 9.81, 2);
    gyro_squares += std::pow(rig.Row(env)[3] * 5, 2);
  }
  CHECK(std::sqrt(sum_of_squares / 200) == Approx(0.5).epsilon(0.15));
  CHECK(std::sqrt(gyro_squares / 200) == Approx(0.1).epsilon(0.15));
  const float first_gyro = rig.Row()[3];
  rig.Step();
  CHECK(rig.Row()[0] == Approx(first[0]).margin(0.02));  // still standing
  CHECK(rig.Row()[3] != first_gyro);
  rig.Step();
  rig.Step();
  CHECK(rig.facts[0].ended());
  CHECK(std::abs(rig.Row()[0] - first[0]) > 1e-3);  // another episode, another bias
}

}  // namespace
}  // namespace lapforge::sim
