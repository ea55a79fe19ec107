// Tests cockpits: drivers with sensors and actions of their own in one simulator see and ask for
// what they would in a simulator made for them.
#include "sim/base/rng.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

/// Two car models on one road, put back whenever they leave it.
SimOptions RaceOptions() {
  SimOptions options = LineOptions(2);
  options.cars_per_world = 2;
  options.episode.max_resets = 1000;
  options.sensors.kinds = {"track_state", "lidar", "camera"};
  options.sensors.camera.width_px = 32;
  options.sensors.camera.height_px = 24;
  options.actions.speed_low_mps = 0;
  return options;
}

/// All sensors, each with its noise and biases.
SensorOptions NoisySensors(const SensorOptions& race) {
  SensorOptions sensors = race;
  sensors.kinds = {"camera", "imu", "objects_ahead", "wheel_speed", "lidar", "track_state"};
  sensors.camera.noise_levels = 4;
  sensors.imu.accel_bias_mps2 = sensors.imu.gyro_bias_radps = 0.1;
  sensors.imu.accel_noise_mps2 = 0.2;
  sensors.wheel_speed.scale_error_frac = 0.02;
  return sensors;
}

/// Half of the race's steering and speeds.
ActionOptions FewActions() {
  ActionOptions actions;
  actions.kind = ActionKind::kDiscrete;
  actions.discrete_steering_deg = {-15, 0, 15};
  actions.discrete_speed_mps = {1, 2, 1};
  return actions;
}

std::vector<CarSpec> TwoModels() {
  return {ValueOf(LoadBuiltInCar("rc_1_18")), ValueOf(LoadBuiltInCar("rc_1_10"))};
}

TEST_CASE("a cockpit shows the rows of a simulator with its sensors and actions") {
  const SimOptions race_options = RaceOptions();
  SimOptions own_options = race_options;
  own_options.sensors = NoisySensors(race_options.sensors);
  own_options.actions = FewActions();
  SimRig own(own_options, TwoModels(), {CircleTrack()});
  SimRig race(race_options, TwoModels(), {CircleTrack()});
  const size_t row_bytes = own.sim().observation_spec().row_bytes;
  std::vector<std::unique_ptr<Cockpit>> cockpits;
  for (int i = 0; i < 2; ++i) {
    cockpits.push_back(
        ValueOf(Cockpit::Create(race.sim(), i, own_options.sensors, own_options.actions)));
    REQUIRE(cockpits.back()->observation_spec().row_bytes == row_bytes);
  }

  RngStream random(3, 0, 0, RngPurpose::kStartPose);
  int num_resets = 0;
  for (int step = 0; step < 300; ++step) {
    std::vector<std::byte> row(row_bytes);
    for (size_t i = 0; i < cockpits.size(); ++i) {
      cockpits[i]->Observe(row);
      REQUIRE(std::equal(row.begin(), row.end(), own.observations.begin() + i * row_bytes));
      own.actions[i] = static_cast<float>(std::min(static_cast<int>(random.Uniform() * 3), 2));
      cockpits[i]->Act(std::span(own.actions).subspan(i, 1),
                       std::span(race.actions).subspan(2 * i, 2));
    }
    own.Step();
    race.Step();
    for (size_t i = 0; i < cockpits.size(); ++i) {
      REQUIRE(race.facts[i].speed_cmd_mps == Approx(own.facts[i].speed_cmd_mps));
      REQUIRE(race.facts[i].steering_cmd_rad == Approx(own.facts[i].steering_cmd_rad).margin(1e-7));
      num_resets += race.facts[i].reset_reason != EndReason::kNone ? 1 : 0;
    }
  }
  REQUIRE(num_resets > 3);  // the last action is forgotten then, in both
}

TEST_CASE("commands beyond the race's range become its nearest") {
  SimOptions options = LineOptions(1);
  options.actions.speed_high_mps = 1.5;
  SimRig race(options, {CircleTrack()});
  const auto cockpit = ValueOf(Cockpit::Create(race.sim(), 0, options.sensors, ActionOptions()));
  cockpit->Act(std::vector<float>{0.5f, 1}, race.actions);
  REQUIRE(race.actions == std::vector<float>{0.5f, 1});
  race.Step();
  REQUIRE(race.facts[0].speed_cmd_mps == 1.5);
}

TEST_CASE("the car ahead is an object ahead") {
  SimOptions options = RaceOptions();
  options.sensors.kinds = {"track_state"};
  SimRig race(options, TwoModels(), {CircleTrack()});
  SensorOptions sensors;
  sensors.kinds = {"objects_ahead"};
  const auto behind = ValueOf(Cockpit::Create(race.sim(), 1, sensors, options.actions));
  std::vector<float> row(behind->observation_spec().row_bytes / sizeof(float));
  behind->Observe(std::as_writable_bytes(std::span(row)));
  // there, ahead, on the other side, standing; and no second one
  REQUIRE(row[0] == 1);
  REQUIRE(row[1] > 0);
  REQUIRE(row[3] == Approx(0.5).margin(0.02));
  REQUIRE(row[5] == 0);
  REQUIRE(row[6] == 0);
}

TEST_CASE("a cockpit refuses options out of range") {
  SimRig race(LineOptions(1), {CircleTrack()});
  SensorOptions sensors;
  sensors.kinds = {"radar"};
  const auto cockpit = Cockpit::Create(race.sim(), 0, sensors, ActionOptions());
  REQUIRE_FALSE(cockpit.ok());
  REQUIRE(cockpit.error().message.find("radar") != std::string::npos);
}

}  // namespace
}  // namespace lapforge::sim
