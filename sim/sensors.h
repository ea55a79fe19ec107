// Which sensors a car carries, what each gives, and where it lies in an observation row.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/option_fields.h"
#include "sim/base/result.h"

namespace lapforge::sim {

// The words of SensorOptions::kinds, in this order.
enum class SensorKind { kTrackState, kLidar, kCamera, kImu, kWheelSpeed, kObjectsAhead };

// What becomes of the lidar's ranges (spec/deepracer.md 2.2). Ranges: one number a beam, metres.
// Sectors: 1 where something in the sector is nearer than `near_m`, else 0. Discretized: the
// nearest range of each sector in one of `values_per_sector` steps up to `clip_m`, one-hot; all
// zero beyond.
enum class LidarForm { kRanges, kSectors, kDiscretized };

// A planar lidar that sees the road's borders as walls, and objects. Defaults: DeepRacer's, but
// looking ahead.
struct LidarOptions {
  int num_beams = 64;    // from right to left, evenly over the field of view, both ends included
                         // (360 degrees: the last is one step short of the first)
  double fov_deg = 300;  // of which half lies to the right of the mount's direction
  double min_range_m = 0.15;
  double max_range_m = 12;  // what a beam says that meets nothing
  double noise_m = 0.01;    // standard deviation of each range
  double dropout_frac = 0;  // share of beams that say max_range_m although there is something
  bool sees_borders = true;
  LidarForm form = LidarForm::kRanges;
  int num_sectors = 8;  // divides num_beams
  int values_per_sector = 8;
  double near_m = 0.5;
  double clip_m = 2;
  double mount_x_m = 0.02913;  // ahead of the car's model origin
  double mount_z_m = 0.16145;  // above the ground: objects lower than this are not seen
  double mount_yaw_deg = 0;
};

enum class CameraColor { kGray, kRgb };
// Pinhole: straight lines stay straight, below 180 degrees. Fisheye: angle from the axis grows with
// the distance from the image's centre (equidistant).
enum class CameraLensKind { kPinhole, kFisheye };

// A camera fixed to the car's body; DeepRacer's field of view and mount (spec/deepracer.md 4.3).
struct CameraOptions {
  int width_px = 160;
  int height_px = 120;
  CameraColor color = CameraColor::kGray;
  CameraLensKind lens = CameraLensKind::kPinhole;
  double fov_deg = 64.74479;    // horizontal: DeepRacer's 1.13 rad; pixels are square
  bool stereo = false;          // left image, then right image
  double baseline_m = 0.06;     // between the two
  double mount_x_m = 0.145294;  // of the lens (of the middle between two), ahead of the car's model
  double mount_y_m = 0;         // origin, to its left and above the ground at rest
  double mount_z_m = 0.130326;
  double mount_pitch_deg = 15;  // down
  double mount_yaw_deg = 0;     // to the left
  double mount_roll_deg = 0;    // to the right
  double noise_levels = 0;      // standard deviation of each pixel, in grey levels of 255
  double texel_m = 0.005;       // how finely the ground is painted
};

// Specific force (what an accelerometer feels; at rest 9.81 upward) and turning rates of the body,
// x forward, y left, z up: 6 numbers, m/s^2 / 9.81 and rad/s / 5. The force is the mean of the
// step.
struct ImuOptions {
  double accel_noise_mps2 = 0;  // standard deviation of each reading
  double gyro_noise_radps = 0;
  double accel_bias_mps2 = 0;  // standard deviation over episodes; constant within one
  double gyro_bias_radps = 0;
};

// Rolling speed of each wheel's rim, m/s / 2; rear left, rear right, front left, front right.
struct WheelSpeedOptions {
  double noise_mps = 0;         // standard deviation of each reading
  double scale_error_frac = 0;  // standard deviation over episodes and wheels; a worn tyre's radius
};

struct SensorOptions {
  // In the order of the observation row, each at most once: track_state, lidar, camera, imu,
  // wheel_speed, objects_ahead.
  std::vector<std::string> kinds = {"track_state"};
  std::vector<double> look_ahead_m = {0.2, 0.4, 0.6, 0.8, 1.1, 1.4, 1.8, 2.2, 2.7, 3.2};
  int num_objects_ahead = 2;  // 6 numbers each, sensors/objects_ahead_sensor.h says which
  LidarOptions lidar;
  CameraOptions camera;
  ImuOptions imu;
  WheelSpeedOptions wheel_speed;

  bool Has(SensorKind kind) const;
  // `kinds` of valid options.
  std::vector<SensorKind> KindList() const;
};

// Lists every field once, with its range.
void VisitFields(SensorOptions& sensors, FieldVisitor& visitor);

// Ranges of all fields and the rules between fields; the message names the key below `sensors`.
Result<void> Validate(const SensorOptions& sensors);

enum class ObservationType { kFloat32, kUint8 };

// One sensor's place in an observation row. Images are planes: [channels, height, width], row 0 at
// the top; gray 1 channel, RGB 3, twice that in stereo.
struct SensorSpec {
  std::string name;  // as in SensorOptions::kinds
  ObservationType type = ObservationType::kFloat32;
  std::vector<int> shape;   // [29]
  size_t offset_bytes = 0;  // in the row, a multiple of 4
  size_t size_bytes = 0;
};

// What an observation row holds; rows are `row_bytes` apart, a multiple of 4.
struct ObservationSpec {
  std::vector<SensorSpec> sensors;
  size_t row_bytes = 0;

  bool is_all_float() const;
};

// The rows that valid options give.
ObservationSpec ObservationSpecOf(const SensorOptions& sensors);

}  // namespace lapforge::sim
