#include <algorithm>
#include <array>

#include "sim/base/assert.h"
#include "sim/base/strings.h"
#include "sim/sensors.h"
#include "sim/sensors/camera/camera_job.h"
#include "sim/sensors/objects_ahead_sensor.h"
#include "sim/sensors/track_state_sensor.h"

namespace lapforge::sim {
namespace {

constexpr std::array<std::string_view, 6> kKindNames = {
    "track_state", "lidar", "camera", "imu", "wheel_speed", "objects_ahead"};
constexpr std::array<std::string_view, 3> kFormNames = {"ranges", "sectors", "discretized"};
constexpr std::array<std::string_view, 2> kColorNames = {"gray", "rgb"};
constexpr std::array<std::string_view, 2> kLensNames = {"pinhole", "fisheye"};

constexpr size_t kMaxLookAheadPoints = 64;
// A pinhole image of more is nearly all border.
constexpr double kMaxPinholeFovDeg = 150;
constexpr size_t kRowAlignment = 4;

std::vector<std::string> KindNames() { return {kKindNames.begin(), kKindNames.end()}; }

Result<void> ValidateKinds(const std::vector<std::string>& kinds) {
  if (kinds.empty()) {
    return ErrorOf("sensors.kinds is empty: nothing to observe; expected some of ",
                   Join(KindNames(), ", "));
  }
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (std::find(kKindNames.begin(), kKindNames.end(), kinds[i]) == kKindNames.end()) {
      return ErrorOf("sensors.kinds[", i, "] is '", kinds[i], "'; expected one of ",
                     Join(KindNames(), ", "), DidYouMean(kinds[i], KindNames()));
    }
    const auto here = kinds.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(kinds.begin(), here, kinds[i]) != here) {
      return ErrorOf("sensors.kinds names '", kinds[i], "' twice");
    }
  }
  return {};
}

Result<void> ValidateLookAhead(const std::vector<double>& distances) {
  if (distances.size() > kMaxLookAheadPoints) {
    return ErrorOf("sensors.look_ahead_m has ", distances.size(), " numbers; expected at most ",
                   kMaxLookAheadPoints);
  }
  for (size_t i = 1; i < distances.size(); ++i) {
    if (distances[i] > distances[i - 1]) continue;
    return ErrorOf("sensors.look_ahead_m[", i, "] is ", distances[i],
                   "; distances must grow from one to the next");
  }
  return {};
}

Result<void> ValidateLidar(const LidarOptions& lidar) {
  if (lidar.min_range_m >= lidar.max_range_m) {
    return ErrorOf("sensors.lidar.min_range_m ", lidar.min_range_m,
                   " must be below sensors.lidar.max_range_m ", lidar.max_range_m);
  }
  if (lidar.form != LidarForm::kRanges && lidar.num_beams % lidar.num_sectors != 0) {
    return ErrorOf("sensors.lidar.num_sectors ", lidar.num_sectors,
                   " must divide sensors.lidar.num_beams ", lidar.num_beams);
  }
  return {};
}

std::vector<int> LidarShape(const LidarOptions& lidar) {
  switch (lidar.form) {
    case LidarForm::kRanges:
      return {lidar.num_beams};
    case LidarForm::kSectors:
      return {lidar.num_sectors};
    case LidarForm::kDiscretized:
      return {lidar.num_sectors * lidar.values_per_sector};
  }
  return {};
}

std::vector<int> ShapeOf(SensorKind kind, const SensorOptions& sensors) {
  constexpr int kImuNumbers = 6;
  constexpr int kWheelNumbers = 4;
  switch (kind) {
    case SensorKind::kTrackState:
      return {TrackStateSensor(sensors.look_ahead_m).size()};
    case SensorKind::kLidar:
      return LidarShape(sensors.lidar);
    case SensorKind::kCamera: {
      const CameraOptions& camera = sensors.camera;
      const int channels = (camera.color == CameraColor::kRgb ? 3 : 1) * (camera.stereo ? 2 : 1);
      return {channels, camera.height_px, camera.width_px};
    }
    case SensorKind::kImu:
      return {kImuNumbers};
    case SensorKind::kWheelSpeed:
      return {kWheelNumbers};
    case SensorKind::kObjectsAhead:
      return {sensors.num_objects_ahead * ObjectsAheadSensor::kNumNumbers};
  }
  return {};
}

SensorKind KindOf(const std::string& name) {
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), name);
  LAPFORGE_ASSERT(found != kKindNames.end(), "options are validated");
  return static_cast<SensorKind>(found - kKindNames.begin());
}

}  // namespace

void VisitFields(LidarOptions& lidar, FieldVisitor& visitor) {
  visitor.Int("num_beams", lidar.num_beams, {1, 4096});
  visitor.Double("fov_deg", lidar.fov_deg, {1, 360});
  visitor.Double("min_range_m", lidar.min_range_m, {0, 100});
  visitor.Double("max_range_m", lidar.max_range_m, {0.1, 100});
  visitor.Double("noise_m", lidar.noise_m, {0, 10});
  visitor.Double("dropout_frac", lidar.dropout_frac, {0, 1});
  visitor.Bool("sees_borders", lidar.sees_borders);
  visitor.Enum("form", lidar.form, kFormNames);
  visitor.Int("num_sectors", lidar.num_sectors, {1, 1024});
  visitor.Int("values_per_sector", lidar.values_per_sector, {1, 256});
  visitor.Double("near_m", lidar.near_m, {0, 100});
  visitor.Double("clip_m", lidar.clip_m, {0.01, 100});
  visitor.Double("mount_x_m", lidar.mount_x_m, {-1, 1});
  visitor.Double("mount_z_m", lidar.mount_z_m, {0, 2});
  visitor.Double("mount_yaw_deg", lidar.mount_yaw_deg, {-180, 180});
}

void VisitFields(CameraOptions& camera, FieldVisitor& visitor) {
  visitor.Int("width_px", camera.width_px, {8, 640});
  visitor.Int("height_px", camera.height_px, {8, 480});
  visitor.Enum("color", camera.color, kColorNames);
  visitor.Enum("lens", camera.lens, kLensNames);
  visitor.Double("fov_deg", camera.fov_deg, {5, 220});
  visitor.Bool("stereo", camera.stereo);
  visitor.Double("baseline_m", camera.baseline_m, {0, 1});
  visitor.Double("mount_x_m", camera.mount_x_m, {-1, 1});
  visitor.Double("mount_y_m", camera.mount_y_m, {-1, 1});
  visitor.Double("mount_z_m", camera.mount_z_m, {0.02, 3});
  visitor.Double("mount_pitch_deg", camera.mount_pitch_deg, {-90, 90});
  visitor.Double("mount_yaw_deg", camera.mount_yaw_deg, {-180, 180});
  visitor.Double("mount_roll_deg", camera.mount_roll_deg, {-180, 180});
  visitor.Double("noise_levels", camera.noise_levels, {0, 64});
  visitor.Double("texel_m", camera.texel_m, {0.001, 0.1});
}

void VisitFields(ImuOptions& imu, FieldVisitor& visitor) {
  visitor.Double("accel_noise_mps2", imu.accel_noise_mps2, {0, 100});
  visitor.Double("gyro_noise_radps", imu.gyro_noise_radps, {0, 100});
  visitor.Double("accel_bias_mps2", imu.accel_bias_mps2, {0, 100});
  visitor.Double("gyro_bias_radps", imu.gyro_bias_radps, {0, 100});
}

void VisitFields(WheelSpeedOptions& wheel_speed, FieldVisitor& visitor) {
  visitor.Double("noise_mps", wheel_speed.noise_mps, {0, 100});
  visitor.Double("scale_error_frac", wheel_speed.scale_error_frac, {0, 0.5});
}

void VisitFields(SensorOptions& sensors, FieldVisitor& visitor) {
  visitor.StringList("kinds", sensors.kinds);
  visitor.DoubleList("look_ahead_m", sensors.look_ahead_m, {0.01, 50});
  visitor.Int("num_objects_ahead", sensors.num_objects_ahead, {1, kMaxObjects});
  visitor.Group("lidar", sensors.lidar);
  visitor.Group("camera", sensors.camera);
  visitor.Group("imu", sensors.imu);
  visitor.Group("wheel_speed", sensors.wheel_speed);
}

bool SensorOptions::Has(SensorKind kind) const {
  return std::find(kinds.begin(), kinds.end(), kKindNames[static_cast<size_t>(kind)]) !=
         kinds.end();
}

Result<void> Validate(const SensorOptions& sensors) {
  LAPFORGE_CHECK_OK(ValidateOptions(sensors));
  LAPFORGE_CHECK_OK(ValidateKinds(sensors.kinds));
  LAPFORGE_CHECK_OK(ValidateLookAhead(sensors.look_ahead_m));
  LAPFORGE_CHECK_OK(ValidateLidar(sensors.lidar));
  const int num_pixels = sensors.camera.width_px * sensors.camera.height_px;
  if (num_pixels % kPixelBlock != 0) {
    return ErrorOf("sensors.camera.width_px x sensors.camera.height_px is ", num_pixels,
                   "; expected a multiple of ", kPixelBlock);
  }
  if (sensors.camera.lens == CameraLensKind::kPinhole &&
      sensors.camera.fov_deg > kMaxPinholeFovDeg) {
    return ErrorOf("sensors.camera.fov_deg ", sensors.camera.fov_deg, " is above ",
                   kMaxPinholeFovDeg,
                   ", the most of a pinhole; sensors.camera.lens fisheye has more");
  }
  return {};
}

std::vector<SensorKind> SensorOptions::KindList() const {
  std::vector<SensorKind> list;
  for (const std::string& name : kinds) list.push_back(KindOf(name));
  return list;
}

bool ObservationSpec::is_all_float() const {
  return std::all_of(sensors.begin(), sensors.end(), [](const SensorSpec& sensor) {
    return sensor.type == ObservationType::kFloat32;
  });
}

ObservationSpec ObservationSpecOf(const SensorOptions& sensors) {
  ObservationSpec spec;
  for (const std::string& name : sensors.kinds) {
    const SensorKind kind = KindOf(name);
    SensorSpec sensor;
    sensor.name = name;
    sensor.type = kind == SensorKind::kCamera ? ObservationType::kUint8 : ObservationType::kFloat32;
    sensor.shape = ShapeOf(kind, sensors);
    sensor.offset_bytes = spec.row_bytes;
    sensor.size_bytes = sensor.type == ObservationType::kUint8 ? sizeof(uint8_t) : sizeof(float);
    for (const int size : sensor.shape) sensor.size_bytes *= static_cast<size_t>(size);
    spec.row_bytes += (sensor.size_bytes + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
    spec.sensors.push_back(std::move(sensor));
  }
  return spec;
}

}  // namespace lapforge::sim
