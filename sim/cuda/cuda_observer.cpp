#include "sim/cuda/cuda_observer.h"

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "sim/cuda/cuda_table.h"
#include "sim/sensors/device_eyes.h"

namespace lapforge::sim {
namespace {

class CudaEyes : public DeviceEyes {
 public:
  explicit CudaEyes(const CudaPlugin& plugin) : plugin_(plugin) {}

  Result<void> SetUp(const EyeScenes& scenes) override {
    scenes_ = scenes;
    if (scenes.camera != nullptr) {
      LAPFORGE_TRY(camera_, CudaCamera::Create(plugin_, *scenes.camera, scenes.grounds));
    }
    if (scenes.lidar != nullptr) {
      LAPFORGE_TRY(lidar_, CudaLidar::Create(plugin_, *scenes.lidar, scenes.grids));
    }
    host_rows_.resize(static_cast<size_t>(scenes.num_envs) * scenes.row_bytes);
    LAPFORGE_TRY(device_rows_, DeviceBlock::Create(plugin_, host_rows_.size()));
    return {};
  }

  Result<void> DrawOnDevice(const EyeFrameSpans& frames, const DeviceRows& to) override {
    return Draw(frames, to);
  }

  // Through rows of its own on both sides, in the stream that the copy waits for.
  Result<void> DrawOnHost(const EyeFrameSpans& frames, std::span<std::byte* const> rows) override {
    LAPFORGE_CHECK_OK(Draw(frames, {static_cast<std::byte*>(device_rows_->data()), nullptr}));
    const std::span<std::byte> drawn = std::span(host_rows_).first(rows.size() * scenes_.row_bytes);
    LAPFORGE_CHECK_OK(device_rows_->CopyTo(drawn));
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::byte* const from = &drawn[i * scenes_.row_bytes];
      std::memcpy(rows[i] + scenes_.camera_offset_bytes, from + scenes_.camera_offset_bytes,
                  scenes_.camera_bytes);
      std::memcpy(rows[i] + scenes_.lidar_offset_bytes, from + scenes_.lidar_offset_bytes,
                  scenes_.lidar_bytes);
    }
    return {};
  }

 private:
  Result<void> Draw(const EyeFrameSpans& frames, const DeviceRows& to) {
    const auto rows_at = [&](size_t offset_bytes, int frames_per_row) {
      return CudaRows{reinterpret_cast<uint8_t*>(to.first + offset_bytes), scenes_.row_bytes,
                      frames_per_row};
    };
    if (camera_) {
      const CudaRows images = rows_at(scenes_.camera_offset_bytes, scenes_.images_per_env());
      LAPFORGE_CHECK_OK(camera_->Paint(frames.cameras, images, to.stream));
    }
    if (lidar_) {
      LAPFORGE_CHECK_OK(
          lidar_->Scan(frames.lidars, rows_at(scenes_.lidar_offset_bytes, 1), to.stream));
    }
    return {};
  }

  CudaPlugin plugin_;
  EyeScenes scenes_;
  std::optional<CudaCamera> camera_;
  std::optional<CudaLidar> lidar_;
  std::optional<DeviceBlock> device_rows_;
  std::vector<std::byte> host_rows_;
};

}  // namespace

Result<void> UseCudaEyes(const CudaPlugin& plugin, VectorSim& sim) {
  return sim.UseEyes(std::make_unique<CudaEyes>(plugin));
}

}  // namespace lapforge::sim
