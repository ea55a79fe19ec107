// Tests the CUDA plug-in: how it fails to load, and on a GPU that its bytes are the CPU's.
#include "sim/cuda/cuda_eyes.h"

#include <optional>

#include "sim/base/rng.h"
#include "sim/cuda/cuda_table.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

// The plug-in with a device; empty, and the test says that it is skipped, where there is none.
std::optional<CudaPlugin> PluginWithDevice() {
#ifdef LAPFORGE_CUDA_PLUGIN
  const CudaPlugin plugin = ValueOf(CudaPlugin::Load(LAPFORGE_CUDA_PLUGIN));
  const Result<int> devices = plugin.CountDevices();
  if (devices.ok()) return plugin;
  std::cout << "SKIPPED: " << devices.error().message << '\n';
#else
  std::cout << "SKIPPED: built without the CUDA toolkit\n";
#endif
  return std::nullopt;
}

TEST_CASE("a missing or foreign plug-in is one clear line") {
  const Result<CudaPlugin> missing = CudaPlugin::Load("/nowhere/liblapforge_cuda.so");
  REQUIRE(!missing.ok());
  CHECK(missing.error().message.find("the CUDA plug-in does not load: /nowhere/") == 0);
  const Result<CudaPlugin> foreign = CudaPlugin::Load("libm.so.6");
  REQUIRE(!foreign.ok());
  CHECK(foreign.error().message == "libm.so.6 is no CUDA plug-in: it has no lapforge_cuda_table");
}

TEST_CASE("the plug-in is found where it was built, or the message says what is missing") {
  const Result<CudaPlugin> found = CudaPlugin::Load();
#ifdef LAPFORGE_CUDA_PLUGIN
  CHECK(found.ok());
#else
  REQUIRE(!found.ok());
  CHECK(found.error().message.find("there is no liblapforge_cuda.so beside ") == 0);
#endif
}

TEST_CASE("the plug-in loads without a device, and says that there is none") {
#ifdef LAPFORGE_CUDA_PLUGIN
  const CudaPlugin plugin = ValueOf(CudaPlugin::Load(LAPFORGE_CUDA_PLUGIN));
  const Result<int> devices = plugin.CountDevices();
  if (devices.ok()) {
    CHECK(devices.value() > 0);
    return;
  }
  CHECK(devices.error().message.find("no NVIDIA driver or device answers (CUDA") == 0);
  CHECK(!DeviceBlock::Create(plugin, 16).ok());
#else
  std::cout << "SKIPPED: built without the CUDA toolkit\n";
#endif
}

TEST_CASE("on a GPU the images are the camera's, byte for byte") {
  const std::optional<CudaPlugin> plugin = PluginWithDevice();
  if (!plugin) return;
  SimOptions options;
  options.sensors.kinds = {"camera"};
  options.sensors.camera.color = CameraColor::kRgb;
  options.sensors.camera.noise_levels = 4;
  options.objects.count = 5;
  options.objects.placement = ObjectPlacement::kRandom;
  options.randomize.camera_turn_deg = 5;
  options.randomize.blur_frac = 1;
  options.randomize.contrast_frac = 0.3;
  options.randomize.num_grounds = 2;
  options.num_envs = 256;
  const tracks::Track track = CircleTrack(3, 1.6);
  std::vector<CameraGround> grounds;
  for (int i = 0; i < 2; ++i) {
    grounds.emplace_back(ValueOf(tracks::PaintGround(track, GroundStyleOf(i, 60))));
  }
  const CameraSensor sensor(options, TestCar(), grounds);
  CudaCamera camera = ValueOf(CudaCamera::Create(*plugin, sensor, grounds));

  SimOptions blind = options;
  blind.sensors.kinds = {"track_state"};
  SimRig rig(blind, {track});
  const size_t image_bytes = 3 * 160 * 120;
  std::vector<CameraFrame> frames;
  std::vector<uint8_t> expected(256 * image_bytes);
  for (size_t env = 0; env < 256; ++env) {
    const StepFacts& facts = rig.sim().now(static_cast<int>(env));
    const EpisodeVariation variation = DrawVariation(options, static_cast<int>(env), 0);
    const CameraGround& ground = grounds[static_cast<size_t>(variation.ground_index)];
    const RngStream noise(1, static_cast<uint32_t>(env), 0, RngPurpose::kTest);
    RngStream for_cpu = noise;
    RngStream for_gpu = noise;
    sensor.Write(facts, variation, ground, for_cpu,
                 std::span(expected).subspan(env * image_bytes, image_bytes));
    frames.push_back(sensor.FrameOf(facts, variation, ground, for_gpu, 0));
    frames.back().ground_index = variation.ground_index;
  }
  const DeviceBlock block = ValueOf(DeviceBlock::Create(*plugin, expected.size()));
  std::vector<uint8_t> images(expected.size());
  const CudaRows rows = {static_cast<uint8_t*>(block.data()), image_bytes, 1};
  REQUIRE(camera.Paint(frames, rows, nullptr).ok());
  REQUIRE(block.CopyTo(std::as_writable_bytes(std::span(images))).ok());
  CHECK(images == expected);
}

TEST_CASE("on a GPU the ranges are the lidar's, bit for bit") {
  const std::optional<CudaPlugin> plugin = PluginWithDevice();
  if (!plugin) return;
  LidarOptions options;
  options.num_beams = 108;
  const LidarSensor sensor(options, {});
  const tracks::Track track = CircleTrack(3, 1.6);
  std::vector<LidarGrid> grids;
  grids.emplace_back(track);
  CudaLidar lidar = ValueOf(CudaLidar::Create(*plugin, sensor, grids));

  const std::array<LidarBox, 1> boxes = {LidarBox{0, 3, 1, 0, 0.2f, 0.15f}};
  const LidarSensor::View view = {grids[0], boxes, 1};
  std::vector<LidarFrame> frames;
  std::vector<float> expected;
  for (int i = 0; i < 500; ++i) {
    CarState car;
    const Vec2 place_m = track.PointAt(0.037 * i, 0.002 * (i - 250));
    car.position_world_m = {place_m.x, place_m.y, 0.04};
    car.yaw_rad = 0.1 * i;
    RngStream random(1, static_cast<uint32_t>(i), 0, RngPurpose::kTest);
    RngStream same = random;
    std::vector<float> ranges_m(108);
    sensor.Write(car, view, random, ranges_m);
    expected.insert(expected.end(), ranges_m.begin(), ranges_m.end());
    frames.push_back(sensor.FrameOf(car, view, same.NextU32()));
  }
  const DeviceBlock block = ValueOf(DeviceBlock::Create(*plugin, expected.size() * sizeof(float)));
  std::vector<float> ranges_m(expected.size());
  const CudaRows rows = {static_cast<uint8_t*>(block.data()), 108 * sizeof(float), 1};
  REQUIRE(lidar.Scan(frames, rows, nullptr).ok());
  REQUIRE(block.CopyTo(std::as_writable_bytes(std::span(ranges_m))).ok());
  CHECK(ranges_m == expected);
}

TEST_CASE("a lidar with drop-outs is refused") {
#ifdef LAPFORGE_CUDA_PLUGIN
  LidarOptions options;
  options.dropout_frac = 0.1;
  const std::vector<LidarGrid> grids = {LidarGrid(CircleTrack())};
  const auto made = CudaLidar::Create(ValueOf(CudaPlugin::Load(LAPFORGE_CUDA_PLUGIN)),
                                      LidarSensor(options, {}), grids);
  REQUIRE(!made.ok());
  CHECK(made.error().message.find("sensors.lidar.dropout_frac") != std::string::npos);
#else
  std::cout << "SKIPPED: built without the CUDA toolkit\n";
#endif
}

}  // namespace
}  // namespace lapforge::sim
