// Cameras and lidars that a device draws for many cars at once: what a simulator asks of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/base/result.h"
#include "sim/sensors/camera/camera_sensor.h"
#include "sim/sensors/lidar/lidar_sensor.h"
#include "sim/vector_sim.h"

namespace lapforge::sim {

// What the eyes of all envs show at one instant, instead of what they see.
struct EyeFrames {
  std::vector<CameraFrame> cameras;  // [num_envs * images_per_env]
  std::vector<LidarFrame> lidars;    // [num_envs]
};

// The eyes of a simulator, borrowed from it, and where their part of an observation row lies.
struct EyeScenes {
  const CameraSensor* camera = nullptr;  // null: there is none
  std::span<const CameraGround> grounds;
  size_t camera_offset_bytes = 0;
  size_t camera_bytes = 0;
  const LidarSensor* lidar = nullptr;  // null: there is none
  std::span<const LidarGrid> grids;
  size_t lidar_offset_bytes = 0;
  size_t lidar_bytes = 0;
  size_t row_bytes = 0;
  int num_envs = 0;

  int images_per_env() const { return camera == nullptr ? 0 : camera->num_images(); }
};

// Frames of some envs, one after the other.
struct EyeFrameSpans {
  std::span<const CameraFrame> cameras;
  std::span<const LidarFrame> lidars;
};

class DeviceEyes {
 public:
  virtual ~DeviceEyes() = default;

  // Copies to the device what all frames share. Called once, before the others. Errors: no memory,
  // a sensor that this device does not know.
  virtual Result<void> SetUp(const EyeScenes& scenes) = 0;

  // Queues drawing frame i into row i of `to`; bytes of other sensors stay.
  virtual Result<void> DrawOnDevice(const EyeFrameSpans& frames, const DeviceRows& to) = 0;
  // Draws frame i into the row at rows[i] in the host's memory, and waits.
  virtual Result<void> DrawOnHost(const EyeFrameSpans& frames,
                                  std::span<std::byte* const> rows) = 0;
};

}  // namespace lapforge::sim
