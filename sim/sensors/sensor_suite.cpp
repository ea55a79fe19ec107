#include "sim/sensors/sensor_suite.h"

#include <algorithm>
#include <array>

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

// How far behind the front point the middle of the longest object is when the car's tail has passed
// it.
double PassedM(const SimOptions& options, std::span<const CarSpec> cars, const CarSpec& car) {
  double length_m = options.objects.kind == ObjectKind::kBox ? options.objects.length_m
                                                             : cars.front().body_length_m;
  for (const CarSpec& other : cars) {
    if (options.cars_per_world > 1) length_m = std::max(length_m, other.body_length_m);
  }
  return length_m / 2 + car.body_length_m;
}

}  // namespace

struct SensorSuite::Parts {
  SimOptions options;
  std::vector<CarSpec> cars;
  std::span<const tracks::Track> views;
  std::vector<SensorKind> kinds;
  TrackStateSensor track_state;
  std::vector<ObjectsAheadSensor> objects_ahead;  // one a car
  std::vector<LidarGrid> grids;                   // one a track, both directions
  std::vector<LidarSensor> lidars;                // one a car
  std::vector<CameraGround> grounds;              // one track's after another's
  std::vector<size_t> first_grounds;              // [num_tracks + 1], into grounds
  std::vector<CameraSensor> cameras;              // one a car

  const tracks::Track& view(const EnvState& state) const {
    return views[static_cast<size_t>(state.now.track_index)];
  }

  size_t CarOf(const EnvState& state) const {
    return static_cast<size_t>(state.now.env_index) % cars.size();
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
  int GroundIndexOf(const EnvState& state) const {
    const size_t track = static_cast<size_t>(state.now.track_index) / 2;
    const size_t count = first_grounds[track + 1] - first_grounds[track];
    const size_t ground = static_cast<size_t>(state.variation.ground_index) % count;
    return static_cast<int>(first_grounds[track] + ground);
  }
  const CameraGround& GroundOf(const EnvState& state) const {
    return grounds[static_cast<size_t>(GroundIndexOf(state))];
  }
  size_t ListBoxes(const EnvState& state, std::array<LidarBox, kMaxObjects>& boxes) const;
  LidarSensor::View ViewOf(const EnvState& state, std::span<const LidarBox> boxes) const;
  void WriteLidar(const EnvState& state, RngStream& random, std::span<float> numbers) const;
  void WriteSensor(size_t index, const EnvState& state, std::span<std::byte> bytes) const;
  void KeepFrames(size_t index, const EnvState& state, EyeFrames& frames) const;
};

Result<void> SensorSuite::Parts::PaintGrounds() {
  const int num_grounds = options.randomize.num_grounds;
  const int num_widths = NumTrackWidths(options.randomize);
  for (size_t i = 0; i < views.size(); i += 2) {
    first_grounds.push_back(grounds.size());
    // each is some 20 MB: a width that is not the track's own one gets one of them
    const int width = static_cast<int>(i / 2) % num_widths;
    const int begin = width % num_grounds;
    const int end = width == 0 ? num_grounds : begin + 1;
    for (int ground = begin; ground < end; ++ground) {
      tracks::GroundStyle style = GroundStyleOf(ground, options.randomize.ground_color_levels);
      style.texel_m = options.sensors.camera.texel_m;
      style.format = options.sensors.camera.color == CameraColor::kRgb
                         ? tracks::TextureFormat::kRgb
                         : tracks::TextureFormat::kGray;
      LAPFORGE_TRY(const tracks::GroundTexture texture, tracks::PaintGround(views[i], style));
      grounds.emplace_back(texture);
    }
  }
  first_grounds.push_back(grounds.size());
  return {};
}

// Those that the scan is not above of.
size_t SensorSuite::Parts::ListBoxes(const EnvState& state,
                                     std::array<LidarBox, kMaxObjects>& boxes) const {
  size_t num_boxes = 0;
  const float scan_height_m = static_cast<float>(options.sensors.lidar.mount_z_m);
  for (int i = 0; i < state.now.num_objects; ++i) {
    const ObjectFacts& object = state.now.objects[i];
    if (object.height_m < scan_height_m) continue;
    const Vec2 along = DirectionOf(object.yaw_rad);
    boxes[num_boxes++] = {static_cast<float>(object.position_m.x),
                          static_cast<float>(object.position_m.y),
                          static_cast<float>(along.x),
                          static_cast<float>(along.y),
                          object.length_m / 2,
                          object.width_m / 2};
  }
  return num_boxes;
}

LidarSensor::View SensorSuite::Parts::ViewOf(const EnvState& state,
                                             std::span<const LidarBox> boxes) const {
  return {grids[static_cast<size_t>(state.now.track_index) / 2],
          boxes,
          state.variation.noise_factor,
          {state.variation.com_shift_m[0], state.variation.com_shift_m[1]}};
}

void SensorSuite::Parts::WriteLidar(const EnvState& state, RngStream& random,
                                    std::span<float> numbers) const {
  std::array<LidarBox, kMaxObjects> boxes;
  const size_t num_boxes = ListBoxes(state, boxes);
  lidars[CarOf(state)].Write(state.now.car, ViewOf(state, {boxes.data(), num_boxes}), random,
                             numbers);
}

// The same numbers, for a device that draws later.
void SensorSuite::Parts::KeepFrames(size_t index, const EnvState& state, EyeFrames& frames) const {
  const size_t env = static_cast<size_t>(state.now.env_index);
  RngStream random = NoiseOf(state, index);
  if (kinds[index] == SensorKind::kLidar) {
    std::array<LidarBox, kMaxObjects> boxes;
    const size_t num_boxes = ListBoxes(state, boxes);
    const LidarSensor& lidar = lidars[CarOf(state)];
    LidarFrame& frame = frames.lidars[env];
    frame = lidar.FrameOf(state.now.car, ViewOf(state, {boxes.data(), num_boxes}),
                          lidar.DrawNoise(random));
    frame.grid_index = state.now.track_index / 2;
    return;
  }
  const CameraSensor& camera = cameras[CarOf(state)];
  for (int image = 0; image < camera.num_images(); ++image) {
    CameraFrame& frame =
        frames.cameras[env * static_cast<size_t>(camera.num_images()) + static_cast<size_t>(image)];
    frame = camera.FrameOf(state.now, state.variation, GroundOf(state), random, image);
    frame.ground_index = GroundIndexOf(state);
  }
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
      cameras[CarOf(state)].Write(now, state.variation, GroundOf(state), random,
                                  {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
      return;
    case SensorKind::kImu:
      WriteImu(options.sensors.imu, now.car,
               {state.velocity_mps - state.last_velocity_mps, options.control_dt_s()},
               state.variation, random, FloatsOf(bytes));
      return;
    case SensorKind::kWheelSpeed:
      WriteWheelSpeeds(options.sensors.wheel_speed, cars[CarOf(state)].wheel_radius_m, now.car,
                       state.variation, random, FloatsOf(bytes));
      return;
    case SensorKind::kObjectsAhead:
      objects_ahead[CarOf(state)].Write(view(state), now, FloatsOf(bytes));
      return;
  }
}

SensorSuite::SensorSuite(ObservationSpec spec, std::unique_ptr<const Parts> parts)
    : spec_(std::move(spec)), parts_(std::move(parts)) {}
SensorSuite::~SensorSuite() = default;

Result<std::unique_ptr<SensorSuite>> SensorSuite::Create(const SimOptions& options,
                                                         std::span<const CarSpec> cars,
                                                         std::span<const tracks::Track> views) {
  const SensorOptions& sensors = options.sensors;
  auto parts = std::make_unique<Parts>(Parts{options,
                                             {cars.begin(), cars.end()},
                                             views,
                                             sensors.KindList(),
                                             TrackStateSensor(sensors.look_ahead_m),
                                             {},
                                             {},
                                             {},
                                             {},
                                             {},
                                             {}});
  for (const CarSpec& car : cars) {
    parts->objects_ahead.emplace_back(sensors.num_objects_ahead, PassedM(options, cars, car));
  }
  if (sensors.Has(SensorKind::kLidar)) {
    for (size_t i = 0; i < views.size(); i += 2) parts->grids.emplace_back(views[i]);
    for (const CarSpec& car : cars) {
      parts->lidars.emplace_back(sensors.lidar, Vec2{car.origin_to_com_m, car.com_left_m});
    }
  }
  if (sensors.Has(SensorKind::kCamera)) {
    LAPFORGE_CHECK_OK(parts->PaintGrounds());
    for (const CarSpec& car : cars) parts->cameras.emplace_back(options, car, parts->grounds);
  }
  return std::unique_ptr<SensorSuite>(
      new SensorSuite(ObservationSpecOf(sensors), std::move(parts)));
}

void SensorSuite::Write(const EnvState& state, std::span<std::byte> row, EyeFrames* frames) const {
  for (size_t i = 0; i < spec_.sensors.size(); ++i) {
    const SensorSpec& sensor = spec_.sensors[i];
    const SensorKind kind = parts_->kinds[i];
    if (frames != nullptr && (kind == SensorKind::kCamera || kind == SensorKind::kLidar)) {
      parts_->KeepFrames(i, state, *frames);
    } else {
      parts_->WriteSensor(i, state, row.subspan(sensor.offset_bytes, sensor.size_bytes));
    }
  }
}

Result<EyeScenes> SensorSuite::Scenes() const {
  if (parts_->cars.size() > 1) {
    return ErrorOf("cameras and lidars on a device are those of one car model, and there are ",
                   parts_->cars.size());
  }
  EyeScenes scenes;
  scenes.row_bytes = spec_.row_bytes;
  scenes.num_envs = parts_->options.num_envs;
  for (size_t i = 0; i < spec_.sensors.size(); ++i) {
    if (parts_->kinds[i] == SensorKind::kCamera) {
      scenes.camera = &parts_->cameras.front();
      scenes.grounds = parts_->grounds;
      scenes.camera_offset_bytes = spec_.sensors[i].offset_bytes;
      scenes.camera_bytes = spec_.sensors[i].size_bytes;
    } else if (parts_->kinds[i] == SensorKind::kLidar) {
      scenes.lidar = &parts_->lidars.front();
      scenes.grids = parts_->grids;
      scenes.lidar_offset_bytes = spec_.sensors[i].offset_bytes;
      scenes.lidar_bytes = spec_.sensors[i].size_bytes;
    }
  }
  return scenes;
}

}  // namespace lapforge::sim
