// Cameras and lidars on a GPU: the plug-in, loaded on demand, and batches of frames through it.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "sim/base/result.h"
#include "sim/sensors/camera/camera_sensor.h"
#include "sim/sensors/lidar/lidar_sensor.h"

namespace lapforge::sim {

struct CudaRows;
struct CudaTable;

// liblapforge_cuda.so in this process; it stays loaded.
class CudaPlugin {
 public:
  // Errors, in one line: no such file, a library it needs is missing, made for another version of
  // this program.
  static Result<CudaPlugin> Load(const std::filesystem::path& path);
  // Beside the program, in ../lib or where it was built.
  static Result<CudaPlugin> Load();

  // The same functions on the CPU, for tests.
  static CudaPlugin Twin();

  // An error where no driver or no device answers.
  Result<int> CountDevices() const;

  const CudaTable& table() const { return *table_; }
  Error LastError() const;

 private:
  explicit CudaPlugin(const CudaTable* table) : table_(table) {}

  const CudaTable* table_;
};

// A block of the device's memory, for callers that have no other.
class DeviceBlock {
 public:
  static Result<DeviceBlock> Create(const CudaPlugin& plugin, size_t num_bytes);

  void* data() const { return data_.get(); }
  // Waits for all work on the device.
  Result<void> CopyTo(std::span<std::byte> to) const;

 private:
  using Data = std::unique_ptr<void, void (*)(void*)>;
  DeviceBlock(const CudaPlugin& plugin, Data data) : plugin_(plugin), data_(std::move(data)) {}

  CudaPlugin plugin_;
  Data data_;
};

// The camera of `sensor` on the current device. The bytes are those of CameraSensor::Write.
class CudaCamera {
 public:
  // Copies what frames share; CameraFrame::ground_index counts `grounds`.
  static Result<CudaCamera> Create(const CudaPlugin& plugin, const CameraSensor& sensor,
                                   std::span<const CameraGround> grounds);

  // Queues the images of all frames, uint8 [planes, height, width] each, into the device's memory;
  // `stream` is a cudaStream_t or null. `frames` may change after.
  Result<void> Paint(std::span<const CameraFrame> frames, const CudaRows& images, void* stream);

 private:
  using Eye = std::unique_ptr<void, void (*)(void*)>;
  CudaCamera(const CudaPlugin& plugin, Eye eye) : plugin_(plugin), eye_(std::move(eye)) {}

  CudaPlugin plugin_;
  Eye eye_;
};

// The lidar of `sensor` on the current device: the numbers of LidarSensor::Write.
class CudaLidar {
 public:
  // LidarFrame::grid_index counts `grids`. An error where the sensor has drop-outs: those are the
  // CPU's.
  static Result<CudaLidar> Create(const CudaPlugin& plugin, const LidarSensor& sensor,
                                  std::span<const LidarGrid> grids);

  // Queues the numbers of all frames, float32, as CudaCamera::Paint does.
  Result<void> Scan(std::span<const LidarFrame> frames, const CudaRows& numbers, void* stream);

 private:
  using Eye = std::unique_ptr<void, void (*)(void*)>;
  CudaLidar(const CudaPlugin& plugin, Eye eye) : plugin_(plugin), eye_(std::move(eye)) {}

  CudaPlugin plugin_;
  Eye eye_;
};

}  // namespace lapforge::sim
