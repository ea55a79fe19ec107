// Tests the rules between options and the built-in cars.
#include "sim/sim_options.h"

#include "sim/base/file_io.h"
#include "tests/base/temporary_folder.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

std::string MessageOf(const Result<void>& result) {
  REQUIRE(!result.ok());
  return result.error().message;
}

TEST_CASE("the defaults are valid") { CHECK(Validate(SimOptions{}).ok()); }

TEST_CASE("rules between options name the key") {
  SimOptions options;
  SECTION("steering") {
    options.actions.steering_low_deg = 30;
    CHECK(MessageOf(Validate(options)).find("actions.steering_low_deg") == 0);
  }
  SECTION("speed") {
    options.actions.speed_high_mps = 0.5;
    CHECK(MessageOf(Validate(options)).find("actions.speed_low_mps") == 0);
  }
  SECTION("discrete lists of unequal length") {
    options.actions.kind = ActionKind::kDiscrete;
    options.actions.discrete_speed_mps = {1, 2};
    CHECK(MessageOf(Validate(options)).find("actions.discrete_steering_deg") == 0);
  }
  SECTION("one discrete action only") {
    options.actions.kind = ActionKind::kDiscrete;
    options.actions.discrete_speed_mps = {1};
    options.actions.discrete_steering_deg = {0};
    CHECK(MessageOf(Validate(options)).find("actions.discrete_speed_mps") == 0);
  }
  SECTION("look-ahead distances that do not grow") {
    options.sensors.look_ahead_m = {1, 1};
    CHECK(MessageOf(Validate(options)).find("sensors.look_ahead_m[1]") == 0);
  }
  SECTION("physics too coarse for the tyres") {
    options.timing.substeps_per_control = 4;
    CHECK(MessageOf(Validate(options)).find("timing.control_hz") == 0);
  }
}

TEST_CASE("rules of sensors and objects name the key") {
  SimOptions options;
  SECTION("no sensor") {
    options.sensors.kinds = {};
    CHECK(MessageOf(Validate(options)).find("sensors.kinds is empty") == 0);
  }
  SECTION("an unknown sensor") {
    options.sensors.kinds = {"track_state", "lidr"};
    const std::string message = MessageOf(Validate(options));
    CHECK(message.find("sensors.kinds[1] is 'lidr'") == 0);
    CHECK(message.find("did you mean 'lidar'?") != std::string::npos);
  }
  SECTION("a sensor twice") {
    options.sensors.kinds = {"imu", "imu"};
    CHECK(MessageOf(Validate(options)) == "sensors.kinds names 'imu' twice");
  }
  SECTION("sectors that do not divide the beams") {
    options.sensors.lidar.form = LidarForm::kSectors;
    options.sensors.lidar.num_sectors = 7;
    CHECK(MessageOf(Validate(options)).find("sensors.lidar.num_sectors 7 must divide") == 0);
  }
  SECTION("lidar ranges upside down") {
    options.sensors.lidar.min_range_m = 20;
    CHECK(MessageOf(Validate(options)).find("sensors.lidar.min_range_m") == 0);
  }
  SECTION("a pinhole that sees too much") {
    options.sensors.camera.fov_deg = 170;
    CHECK(MessageOf(Validate(options)).find("sensors.camera.fov_deg") == 0);
    options.sensors.camera.lens = CameraLensKind::kFisheye;
    CHECK(Validate(options).ok());
  }
}

TEST_CASE("rules of objects and of timing name the key") {
  SimOptions options;
  SECTION("listed objects without places") {
    options.objects.count = 2;
    options.objects.placement = ObjectPlacement::kListed;
    options.objects.positions_frac = {0.5};
    CHECK(MessageOf(Validate(options)).find("objects.placement listed needs") == 0);
  }
  SECTION("an image that is not a whole number of blocks") {
    options.sensors.camera.width_px = 33;
    CHECK(MessageOf(Validate(options)).find("sensors.camera.width_px x") == 0);
  }
}

TEST_CASE("built-in cars load under their own names") {
  for (const std::string& name : BuiltInCarNames()) {
    CAPTURE(name);
    CHECK(ValueOf(LoadBuiltInCar(name)).name == name);
  }
  const Result<CarSpec> misspelt = LoadCar("rc_1_81");
  REQUIRE(!misspelt.ok());
  CHECK(misspelt.error().message.find("did you mean 'rc_1_18'?") != std::string::npos);
}

TEST_CASE("the small car has DeepRacer's measures") {
  // spec/deepracer.md 4.2: wheelbase, axle tracks, front point
  const CarSpec car = TestCar();
  CHECK(car.wheelbase_m() == Approx(0.163974).margin(1e-4));
  CHECK(car.front_axle_track_m == Approx(0.159202).margin(1e-4));
  CHECK(car.rear_axle_track_m == Approx(0.1621).margin(1e-4));
  CHECK(car.front_point_m == 0.14);
}

TEST_CASE("a car from a file is checked, and errors name the file") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "my.textproto").string();
  CHECK(!LoadCar(path).ok());

  CarSpec car = TestCar();
  car.name = "mine";
  car.friction = 0.7;
  REQUIRE(WriteFileAtomic(path, OptionsToText(car)).ok());
  const CarSpec loaded = ValueOf(LoadCar(path));
  CHECK(OptionsToText(loaded) == OptionsToText(car));

  REQUIRE(WriteFileAtomic(path, "name: \"light\"").ok());
  const Result<CarSpec> incomplete = LoadCar(path);
  REQUIRE(!incomplete.ok());
  CHECK(incomplete.error().message.find(path) == 0);
  CHECK(incomplete.error().message.find("mass_kg") != std::string::npos);
}

}  // namespace
}  // namespace lapforge::sim
