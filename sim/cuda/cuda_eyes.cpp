#include "sim/cuda/cuda_eyes.h"

#include <dlfcn.h>

#include <vector>

#include "sim/base/plugin_file.h"
#include "sim/cuda/cuda_table.h"

namespace lapforge::sim {
namespace {

constexpr const char* kFileName = "liblapforge_cuda.so";

}  // namespace

Result<CudaPlugin> CudaPlugin::Load(const std::filesystem::path& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return ErrorOf("the CUDA plug-in does not load: ", dlerror());
  using GetTable = const CudaTable* (*)();
  const auto get_table = reinterpret_cast<GetTable>(dlsym(library, kCudaTableName));
  if (get_table == nullptr) {
    return ErrorOf(path.string(), " is no CUDA plug-in: it has no ", kCudaTableName);
  }
  const CudaTable* const table = get_table();
  if (table->version != kCudaTableVersion) {
    return ErrorOf(path.string(), " has version ", table->version, "; this program needs ",
                   kCudaTableVersion, ": build both together");
  }
  return CudaPlugin(table);
}

Result<CudaPlugin> CudaPlugin::Load() {
  LAPFORGE_TRY(const std::filesystem::path file, FindPlugin(kFileName, "sim/cuda"));
  return Load(file);
}

CudaPlugin CudaPlugin::Twin() { return CudaPlugin(&TwinCudaTable()); }

Result<int> CudaPlugin::CountDevices() const {
  int count = 0;
  if (table_->count_devices(&count) != 0) {
    return ErrorOf("no NVIDIA driver or device answers (", table_->last_error(), ")");
  }
  if (count == 0) return ErrorOf("the CUDA driver sees no device");
  return count;
}

Error CudaPlugin::LastError() const { return Error{table_->last_error()}; }

Result<DeviceBlock> DeviceBlock::Create(const CudaPlugin& plugin, size_t num_bytes) {
  Data data(plugin.table().allocate(num_bytes), plugin.table().release);
  if (data == nullptr) return plugin.LastError();
  return DeviceBlock(plugin, std::move(data));
}

Result<void> DeviceBlock::CopyTo(std::span<std::byte> to) const {
  if (plugin_.table().copy_to_host(to.data(), data(), to.size()) != 0) return plugin_.LastError();
  return {};
}

Result<CudaCamera> CudaCamera::Create(const CudaPlugin& plugin, const CameraSensor& sensor,
                                      std::span<const CameraGround> grounds) {
  std::vector<CameraLevel> levels;
  std::vector<size_t> level_texels(grounds.size() * kMaxCameraLevels, 0);
  for (size_t i = 0; i < grounds.size(); ++i) {
    for (int level = 0; level < grounds[i].num_levels(); ++level) {
      level_texels[i * kMaxCameraLevels + static_cast<size_t>(level)] =
          grounds[i].num_texels(level);
    }
  }
  const CudaCameraParts parts = {sensor.SceneOf(grounds, levels), static_cast<int>(grounds.size()),
                                 level_texels.data(), sensor.num_noise_bytes()};
  Eye eye(plugin.table().make_camera(&parts), plugin.table().free_camera);
  if (eye == nullptr) return plugin.LastError();
  return CudaCamera(plugin, std::move(eye));
}

Result<void> CudaCamera::Paint(std::span<const CameraFrame> frames, const CudaRows& images,
                               void* stream) {
  const int count = static_cast<int>(frames.size());
  if (plugin_.table().paint(eye_.get(), frames.data(), count, &images, stream) != 0) {
    return plugin_.LastError();
  }
  return {};
}

Result<CudaLidar> CudaLidar::Create(const CudaPlugin& plugin, const LidarSensor& sensor,
                                    std::span<const LidarGrid> grids) {
  if (sensor.options().dropout_frac > 0) {
    return ErrorOf("the CUDA lidar has no drop-outs: sensors.lidar.dropout_frac must be 0");
  }
  std::vector<LidarGridView> views;
  std::vector<int> num_segments;
  for (const LidarGrid& grid : grids) {
    views.push_back(grid.view());
    num_segments.push_back(grid.num_segments());
  }
  const CudaLidarParts parts = {sensor.SceneOf(views.data()), static_cast<int>(grids.size()),
                                num_segments.data(), sensor.num_normals()};
  Eye eye(plugin.table().make_lidar(&parts), plugin.table().free_lidar);
  if (eye == nullptr) return plugin.LastError();
  return CudaLidar(plugin, std::move(eye));
}

Result<void> CudaLidar::Scan(std::span<const LidarFrame> frames, const CudaRows& numbers,
                             void* stream) {
  const int count = static_cast<int>(frames.size());
  if (plugin_.table().scan(eye_.get(), frames.data(), count, &numbers, stream) != 0) {
    return plugin_.LastError();
  }
  return {};
}

}  // namespace lapforge::sim
