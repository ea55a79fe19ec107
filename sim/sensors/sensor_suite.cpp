#include "sim/sensors/sensor_suite.h"

#include <array>
#include <optional>

#include "sim/base/rng.h"
#include "sim/sensors/camera/camera_sensor.h"
#include "sim/sensors/lidar/lidar_sensor.h"
#include "sim/sensors/motion_sensors.h"
#include "sim/sensors/objects_ahead_sensor.h"
#include "sim/sensors/track_state_sensor.h"

namespace lapforge::sim {
namespace {

// Each sensor draws from its own part of an episode's noise, this many words a step. The largest
// lidar with drop-outs takes 8193.
constexpr uint64_t kWordsPerStep = 1 << 14;
constexpr uint64_t kNumSensorParts = 8;

std::span<float> FloatsOf(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

// How far behind the front point an object's middle is when the car's tail has passed it.
double PassedM(const ObjectOptions& objects, const CarSpec& car) {
  return objects.length_m / 2 + car.body_length_m;
}

}  // namespace

struct SensorSuite::Parts {
  SimOptions options;
  CarSpec car;
  std::span<const tracks::Track> views;
  std::vector<SensorKind> kinds;
  TrackStateSensor track_state;
  ObjectsAheadSensor objects_ahead;
  std::vector<LidarGrid> grids;  // one a track, both directions
  std::optional<LidarSensor> lidar;
  std::vector<CameraGround> grounds;  // [num_tracks][num_grounds]
  std::optional<CameraSensor> camera;

  const tracks::Track& view(const EnvState& state) const {
    return views[static_cast<size_t>(state.now.track_index)];
  }

  // Noise is a function of (seed, env, episode, step, sensor).
  RngStream NoiseOf(const EnvState& state, size_t sensor_index) const {
    RngStream random(options.seed, static_cast<uint32_t>(state.now.env_index),
                     state.now.episode_index, RngPurpose::kSensorNoise);
    const uint64_t step = static_cast<uint64_t>(state.num_steps);
    random.Seek((step * kNumSensorParts + sensor_index) * kWordsPerStep);
    return random;
  }

  Result<void> PaintGrounds();
  const CameraGround& GroundOf(const EnvState& state) const {
    return grounds[static_cast<size_t>(state.now.track_index / 2 * options.randomize.num_grounds +
                                       state.variation.ground_index)];
  }
  void WriteLidar(const EnvState& state, RngStream& random, std::span<float> numbers) const;
  void WriteSensor(size_t index, const EnvState& state, std::span<std::byte> bytes) const;
};

Result<void> SensorSuite::Parts::PaintGrounds() {
  for (size_t i = 0; i < views.size(); i += 2) {
    for (int ground = 0; ground < options.randomize.num_grounds; ++ground) {
      tracks::GroundStyle style = GroundStyleOf(ground, options.randomize.ground_color_levels);
      style.texel_m = options.sensors.camera.texel_m;
      style.format = options.sensors.camera.color == CameraColor::kRgb
                         ? tracks::TextureFormat::kRgb
                         : tracks::TextureFormat::kGray;
      LAPFORGE_TRY(const tracks::GroundTexture texture, tracks::PaintGround(views[i], style));
      grounds.emplace_back(texture);
    }
  }
  return {};
}

void SensorSuite::Parts::WriteLidar(const EnvState& state, RngStream& random,
                                    std::span<float> numbers) const {
  std::array<LidarBox, kMaxObjects> boxes;
  int num_boxes = 0;
  const ObjectOptions& objects = options.objects;
  if (objects.height_m > options.sensors.lidar.mount_z_m) num_boxes = state.now.num_objects;
  for (int i = 0; i < num_boxes; ++i) {
    const ObjectFacts& box = state.now.objects[i];
    const Vec2 along = DirectionOf(box.yaw_rad);
    boxes[i] = {static_cast<float>(box.position_m.x),
                static_cast<float>(box.position_m.y),
                static_cast<float>(along.x),
                static_cast<float>(along.y),
                static_cast<float>(objects.length_m / 2),
                static_cast<float>(objects.width_m / 2)};
  }
  const LidarSensor::View seen = {grids[static_cast<size_t>(state.now.track_index) / 2],
                                  {boxes.data(), static_cast<size_t>(num_boxes)},
                                  state.variation.noise_factor,
                                  {state.variation.com_shift_m[0], state.variation.com_shift_m[1]}};
  lidar->Write(state.now.car, seen, random, numbers);
}

void SensorSuite::Parts::WriteSensor(size_t index, const EnvState& state,
                                     std::span<std::byte> bytes) const {
  const StepFacts& now = state.now;
  RngStream random = NoiseOf(state, index);
  switch (kinds[index]) {
    case SensorKind::kTrackState:
      track_state.Write(view(state), now, FloatsOf(bytes));
      return;
    case SensorKind::kLidar:
      WriteLidar(state, random, FloatsOf(bytes));
      return;
    case SensorKind::kCamera:
      camera->Write(now, state.variation, GroundOf(state), random,
                    {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
      return;
    case SensorKind::kImu:
      WriteImu(options.sensors.imu, now.car,
               {state.velocity_mps - state.last_velocity_mps, options.control_dt_s()},
               state.variation, random, FloatsOf(bytes));
      return;
    case SensorKind::kWheelSpeed:
      WriteWheelSpeeds(options.sensors.wheel_speed, car.wheel_radius_m, now.car, state.variation,
                       random, FloatsOf(bytes));
      return;
    case SensorKind::kObjectsAhead:
      objects_ahead.Write(view(state), now, FloatsOf(bytes));
      return;
  }
}

SensorSuite::SensorSuite(ObservationSpec spec, std::unique_ptr<const Parts> parts)
    : spec_(std::move(spec)), parts_(std::move(parts)) {}
SensorSuite::~SensorSuite() = default;

Result<std::unique_ptr<SensorSuite>> SensorSuite::Create(const SimOptions& options,
                                                         const CarSpec& car,
                                                         std::span<const tracks::Track> views) {
  const SensorOptions& sensors = options.sensors;
  auto parts = std::make_unique<Parts>(
      Parts{options,
            car,
            views,
            sensors.KindList(),
            TrackStateSensor(sensors.look_ahead_m),
            ObjectsAheadSensor(sensors.num_objects_ahead, PassedM(options.objects, car)),
            {},
            {},
            {},
            {}});
  if (sensors.Has(SensorKind::kLidar)) {
    for (size_t i = 0; i < views.size(); i += 2) parts->grids.emplace_back(views[i]);
    parts->lidar.emplace(sensors.lidar, Vec2{car.origin_to_com_m, car.com_left_m});
  }
  if (sensors.Has(SensorKind::kCamera)) {
    LAPFORGE_CHECK_OK(parts->PaintGrounds());
    parts->camera.emplace(options, car, parts->grounds);
  }
  return std::unique_ptr<SensorSuite>(
      new SensorSuite(ObservationSpecOf(sensors), std::move(parts)));
}

void SensorSuite::Write(const EnvState& state, std::span<std::byte> row) const {
  for (size_t i = 0; i < spec_.sensors.size(); ++i) {
    const SensorSpec& sensor = spec_.sensors[i];
    parts_->WriteSensor(i, state, row.subspan(sensor.offset_bytes, sensor.size_bytes));
  }
}

}  // namespace lapforge::sim
