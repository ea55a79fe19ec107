// Tests cameras and lidars that a device draws for a whole simulator, with the CPU's twin of the
// GPU's functions: the same bytes as the sensors' own, in host rows and in rows of the device.
#include <cstring>

#include "sim/base/rng.h"
#include "sim/cuda/cuda_observer.h"
#include "sim/sensors/device_eyes.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

Result<void> UseTwinEyes(SimRig& rig) { return UseCudaEyes(CudaPlugin::Twin(), rig.sim()); }

SimOptions CameraAndLidar() {
  SimOptions options;
  options.num_envs = 6;
  options.sensors.kinds = {"wheel_speed", "camera", "lidar", "track_state"};
  options.sensors.camera.width_px = 64;
  options.sensors.camera.height_px = 48;
  options.sensors.lidar.num_beams = 32;
  options.episode.max_steps = 9;  // ends in every few steps
  return options;
}

SimOptions Everything() {
  SimOptions options = CameraAndLidar();
  options.sensors.camera.color = CameraColor::kRgb;
  options.sensors.camera.stereo = true;
  options.sensors.camera.noise_levels = 4;
  options.objects.count = 3;
  options.objects.placement = ObjectPlacement::kRandom;
  options.randomize.camera_turn_deg = 5;
  options.randomize.blur_frac = 1;
  options.randomize.contrast_frac = 0.3;
  options.randomize.num_grounds = 2;
  return options;
}

SimOptions InForm(LidarForm form) {
  SimOptions options = CameraAndLidar();
  options.sensors.kinds = {"lidar"};
  options.sensors.lidar.form = form;
  options.objects.count = 2;
  return options;
}

void ActRandomly(int step, std::vector<float>& actions) {
  RngStream random(3, 0, static_cast<uint32_t>(step), RngPurpose::kTest);
  for (float& action : actions) action = static_cast<float>(random.Uniform(-1, 1));
}

std::vector<tracks::Track> TwoTracks() { return {CircleTrack(3, 1.6), CircleTrack(4, 1.2)}; }

TEST_CASE("what a device draws for all envs are the sensors' own bytes") {
  const SimOptions options = GENERATE(CameraAndLidar(), Everything(), InForm(LidarForm::kRanges),
                                      InForm(LidarForm::kSectors), InForm(LidarForm::kDiscretized));
  SimRig own(options, TwoTracks());
  SimRig drawn(options, TwoTracks(), 2);
  REQUIRE(UseTwinEyes(drawn).ok());
  drawn.sim().Reset(drawn.observations);
  REQUIRE((drawn.observations == own.observations));
  for (int step = 0; step < 40; ++step) {
    ActRandomly(step, own.actions);
    drawn.actions = own.actions;
    own.Step();
    drawn.Step();
    REQUIRE((drawn.observations == own.observations));
    REQUIRE((drawn.final_observations == own.final_observations));
  }
  own.sim().EndEpisode(1, own.observations);
  drawn.sim().EndEpisode(1, drawn.observations);
  CHECK((drawn.observations == own.observations));
  std::vector<std::byte> again(drawn.observations.size());
  drawn.sim().Observe(again);
  CHECK((again == own.observations));
  CHECK(drawn.sim().StateHash() == own.sim().StateHash());
  CHECK_FALSE(drawn.sim().eyes_error().has_value());
}

TEST_CASE("a device draws into its own rows, and the host's keep the other sensors") {
  const SimOptions options = CameraAndLidar();
  SimRig own(options, TwoTracks());
  SimRig drawn(options, TwoTracks());
  REQUIRE(UseTwinEyes(drawn).ok());
  std::vector<std::byte> device_rows(own.observations.size());
  std::fill(drawn.observations.begin(), drawn.observations.end(), std::byte{7});
  drawn.sim().DrawInto({device_rows.data(), nullptr});
  drawn.sim().Reset(drawn.observations);
  for (int step = 0; step < 12; ++step) {
    ActRandomly(step, own.actions);
    drawn.actions = own.actions;
    own.Step();
    // in halves, as a learner does
    StepBatch batch = {drawn.actions, drawn.observations, drawn.final_observations, drawn.facts};
    drawn.sim().Step(batch, {0, 3});
    drawn.sim().Step(batch, {3, 6});
  }
  const ObservationSpec& spec = own.sim().observation_spec();
  for (size_t env = 0; env < 6; ++env) {
    for (const SensorSpec& sensor : spec.sensors) {
      const size_t begin = env * spec.row_bytes + sensor.offset_bytes;
      const bool is_eye = sensor.name == "camera" || sensor.name == "lidar";
      const std::byte* const expected = &own.observations[begin];
      const std::byte* const there = &(is_eye ? device_rows : drawn.observations)[begin];
      CHECK(std::memcmp(expected, there, sensor.size_bytes) == 0);
      if (is_eye) CHECK(drawn.observations[begin] == std::byte{7});
    }
  }
}

TEST_CASE("eyes that a device does not know are refused, and the sensors go on alone") {
  SimOptions options = CameraAndLidar();
  options.sensors.lidar.dropout_frac = 0.1;
  SimRig rig(options, TwoTracks());
  const Result<void> refused = UseTwinEyes(rig);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("sensors.lidar.dropout_frac") != std::string::npos);
  SimRig same(options, TwoTracks());
  rig.Step();
  same.Step();
  CHECK((rig.observations == same.observations));

  CarSpec other = TestCar();
  other.mass_kg *= 1.1;
  SimRig mixed(CameraAndLidar(), std::vector<CarSpec>{TestCar(), other}, TwoTracks());
  const Result<void> two = UseTwinEyes(mixed);
  REQUIRE_FALSE(two.ok());
  CHECK(two.error().message.find("one car model") != std::string::npos);
}

// Draws twice, then no more.
class BrokenEyes : public DeviceEyes {
 public:
  Result<void> SetUp(const EyeScenes&) override { return {}; }
  Result<void> DrawOnDevice(const EyeFrameSpans&, const DeviceRows&) override { return {}; }
  Result<void> DrawOnHost(const EyeFrameSpans&, std::span<std::byte* const>) override {
    if (++num_draws_ > 2) return ErrorOf("the GPU fell off the bus in draw ", num_draws_);
    return {};
  }

 private:
  int num_draws_ = 0;
};

TEST_CASE("what goes wrong on the device is kept for the caller") {
  SimOptions options = CameraAndLidar();
  options.episode.max_steps = 0;
  SimRig rig(options, TwoTracks());
  REQUIRE(rig.sim().UseEyes(std::make_unique<BrokenEyes>()).ok());
  rig.Step();
  rig.Step();
  CHECK_FALSE(rig.sim().eyes_error().has_value());
  rig.Step();
  rig.Step();
  REQUIRE(rig.sim().eyes_error().has_value());
  CHECK(rig.sim().eyes_error()->message == "the GPU fell off the bus in draw 3");
}

TEST_CASE("on a GPU a whole simulator sees what it sees on the CPU") {
  const Result<CudaPlugin> plugin = CudaPlugin::Load();
  const Result<int> count = plugin.ok() ? plugin->CountDevices() : Result<int>(plugin.error());
  if (!count.ok()) {
    std::cout << "SKIPPED: " << count.error().message << '\n';
    return;
  }
  SimRig own(Everything(), TwoTracks());
  SimRig drawn(Everything(), TwoTracks());
  REQUIRE(UseCudaEyes(*plugin, drawn.sim()).ok());
  for (int step = 0; step < 40; ++step) {
    ActRandomly(step, own.actions);
    drawn.actions = own.actions;
    own.Step();
    drawn.Step();
    REQUIRE((drawn.observations == own.observations));
    REQUIRE((drawn.final_observations == own.final_observations));
  }
}

}  // namespace
}  // namespace lapforge::sim
