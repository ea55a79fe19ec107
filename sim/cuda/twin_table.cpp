// CudaTable on the CPU: "the device's memory" is the host's, and kernels are loops over the same
// per-element functions.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "sim/cuda/cuda_table.h"
#include "sim/sensors/camera/camera_pixel.inl"

namespace lapforge::sim {
namespace {

struct TwinCamera {
  CameraScene scene;
  std::vector<CameraLevel> levels;
  std::vector<uint8_t> painted;
};

struct TwinLidar {
  LidarScene scene;
  std::vector<LidarGridView> grids;
  std::vector<float> ranges_m;
};

const char* NoError() { return "no GPU, but its twin"; }
int CountOne(int* count) {
  *count = 1;
  return 0;
}
int Copy(void* to, const void* from, size_t num_bytes) {
  std::memcpy(to, from, num_bytes);
  return 0;
}

// Scenes are copied as a GPU's are, but for what they point to.
void* MakeCamera(const CudaCameraParts* parts) {
  const CameraScene& scene = parts->scene;
  auto camera = std::make_unique<TwinCamera>();
  camera->scene = scene;
  camera->levels.assign(scene.levels, scene.levels + parts->num_grounds * kMaxCameraLevels);
  camera->scene.levels = camera->levels.data();
  camera->painted.resize(static_cast<size_t>(scene.num_planes) *
                         static_cast<size_t>(scene.num_pixels));
  return camera.release();
}

int Paint(void* camera, const CameraFrame* frames, int num_frames, const CudaRows* images, void*) {
  TwinCamera& eye = *static_cast<TwinCamera*>(camera);
  const CameraScene& scene = eye.scene;
  for (int i = 0; i < num_frames; ++i) {
    uint8_t* const image = PlaceInRows(*images, i, eye.painted.size());
    for (int pixel = 0; pixel < scene.num_pixels; ++pixel) {
      PaintFramePixel(scene, frames[i], pixel, eye.painted.data());
    }
    for (int plane = 0; plane < scene.num_planes; ++plane) {
      const int first = plane * scene.num_pixels;
      for (int pixel = 0; pixel < scene.num_pixels; ++pixel) {
        image[first + pixel] =
            FinishedLevel(scene, frames[i].effects[plane], eye.painted.data() + first, pixel);
      }
    }
  }
  return 0;
}

void FreeCamera(void* camera) { delete static_cast<TwinCamera*>(camera); }

void* MakeLidar(const CudaLidarParts* parts) {
  auto lidar = std::make_unique<TwinLidar>();
  lidar->scene = parts->scene;
  lidar->grids.assign(parts->scene.grids, parts->scene.grids + parts->num_grids);
  lidar->scene.grids = lidar->grids.data();
  lidar->ranges_m.resize(static_cast<size_t>(parts->scene.num_beams));
  return lidar.release();
}

int Scan(void* lidar, const LidarFrame* frames, int num_frames, const CudaRows* numbers, void*) {
  TwinLidar& eye = *static_cast<TwinLidar*>(lidar);
  const LidarScene& scene = eye.scene;
  const size_t scan_bytes =
      sizeof(float) * static_cast<size_t>(NumCells(scene) * NumbersPerCell(scene));
  for (int i = 0; i < num_frames; ++i) {
    for (int beam = 0; beam < scene.num_beams; ++beam) {
      eye.ranges_m[static_cast<size_t>(beam)] = ReadingOfBeam(scene, frames[i], beam);
    }
    for (int cell = 0; cell < NumCells(scene); ++cell) {
      WriteCell(scene, eye.ranges_m.data(), cell,
                reinterpret_cast<float*>(PlaceInRows(*numbers, i, scan_bytes)));
    }
  }
  return 0;
}

void FreeLidar(void* lidar) { delete static_cast<TwinLidar*>(lidar); }

}  // namespace

const CudaTable& TwinCudaTable() {
  static constexpr CudaTable kTable = {
      kCudaTableVersion, NoError, CountOne,   std::malloc, Copy, std::free,
      MakeCamera,        Paint,   FreeCamera, MakeLidar,   Scan, FreeLidar};
  return kTable;
}

}  // namespace lapforge::sim
