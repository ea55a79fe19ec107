// The lidar on a GPU: a thread for each beam of each scan.
#define LAPFORGE_DEVICE __host__ __device__

#include <memory>

#include "sim/cuda/cuda_eyes.cuh"
#include "sim/cuda/device_memory.cuh"

namespace lapforge::sim {
namespace {

constexpr int kThreadsPerBlock = 128;

__global__ void ScanKernel(LidarScene scene, const LidarFrame* frames, float* ranges_m) {
  const int beam = static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x);
  if (beam >= scene.num_beams) return;
  const size_t place = static_cast<size_t>(blockIdx.x) * scene.num_beams + beam;
  ranges_m[place] = ReadingOfBeam(scene, frames[blockIdx.x], beam);
}

// A thread for each cell of each scan.
__global__ void FormKernel(LidarScene scene, const float* ranges_m, CudaRows numbers) {
  const int cell = static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x);
  if (cell >= NumCells(scene)) return;
  const size_t scan_bytes = sizeof(float) * NumCells(scene) * NumbersPerCell(scene);
  WriteCell(
      scene, ranges_m + static_cast<size_t>(blockIdx.x) * scene.num_beams, cell,
      reinterpret_cast<float*>(PlaceInRows(numbers, static_cast<int>(blockIdx.x), scan_bytes)));
}

struct Lidar {
  DeviceMemory memory;
  LidarScene scene;  // in the GPU's memory
  BatchMemory<LidarFrame> frames;
  BatchMemory<float> ranges_m;
};

// Scans along x, of which there may be many.
dim3 GridOf(int num_scans, int num_threads) {
  return dim3(num_scans, (num_threads + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

bool UploadGrids(const CudaLidarParts& parts, Lidar& lidar) {
  const size_t count = static_cast<size_t>(parts.num_grids);
  std::vector<LidarGridView> grids(parts.scene.grids, parts.scene.grids + count);
  for (size_t i = 0; i < count; ++i) {
    const size_t num_cells = static_cast<size_t>(grids[i].columns) * grids[i].rows;
    const size_t num_segments = static_cast<size_t>(parts.num_segments[i]);
    if (!lidar.memory.Upload(num_segments, grids[i].segments) ||
        !lidar.memory.Upload(num_cells + 1, grids[i].cell_begin)) {
      return false;
    }
  }
  lidar.scene.grids = grids.data();
  return lidar.memory.Upload(count, lidar.scene.grids);
}

}  // namespace

void* MakeLidar(const CudaLidarParts* parts) {
  auto lidar = std::make_unique<Lidar>();
  lidar->scene = parts->scene;
  const size_t num_beams = static_cast<size_t>(parts->scene.num_beams);
  const bool is_ready = lidar->memory.Upload(num_beams, lidar->scene.beams) &&
                        lidar->memory.Upload(parts->num_normals, lidar->scene.normals) &&
                        UploadGrids(*parts, *lidar);
  return is_ready ? lidar.release() : nullptr;
}

int ScanFrames(void* lidar, const LidarFrame* frames, int num_frames, const CudaRows* numbers,
               void* stream) {
  Lidar& eye = *static_cast<Lidar*>(lidar);
  const auto queue = static_cast<cudaStream_t>(stream);
  const LidarFrame* const device_frames =
      eye.frames.Upload(frames, static_cast<size_t>(num_frames), queue);
  float* const ranges_m =
      eye.ranges_m.Reserve(static_cast<size_t>(num_frames) * eye.scene.num_beams);
  if (device_frames == nullptr || ranges_m == nullptr) return 1;
  ScanKernel<<<GridOf(num_frames, eye.scene.num_beams), kThreadsPerBlock, 0, queue>>>(
      eye.scene, device_frames, ranges_m);
  FormKernel<<<GridOf(num_frames, NumCells(eye.scene)), kThreadsPerBlock, 0, queue>>>(
      eye.scene, ranges_m, *numbers);
  return Succeeded(cudaGetLastError(), "scanning") ? 0 : 1;
}

void FreeLidar(void* lidar) { delete static_cast<Lidar*>(lidar); }

}  // namespace lapforge::sim
