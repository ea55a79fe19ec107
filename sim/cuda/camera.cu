// The camera on a GPU: a thread for each pixel of each frame.
#define LAPFORGE_DEVICE __host__ __device__

#include <memory>

#include "sim/cuda/cuda_eyes.cuh"
#include "sim/cuda/device_memory.cuh"
#include "sim/sensors/camera/camera_pixel.inl"

namespace lapforge::sim {
namespace {

constexpr int kThreadsPerBlock = 256;

// Frames along x, of which there may be many; pixels along y.
__device__ int PixelOfThread() { return static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x); }

__global__ void PaintKernel(CameraScene scene, const CameraFrame* frames, uint8_t* painted) {
  const int pixel = PixelOfThread();
  if (pixel >= scene.num_pixels) return;
  const size_t frame_bytes = static_cast<size_t>(scene.num_planes) * scene.num_pixels;
  PaintFramePixel(scene, frames[blockIdx.x], pixel, painted + blockIdx.x * frame_bytes);
}

__global__ void FinishKernel(CameraScene scene, const CameraFrame* frames, const uint8_t* painted,
                             CudaRows images) {
  const int pixel = PixelOfThread();
  if (pixel >= scene.num_pixels) return;
  const size_t frame_bytes = static_cast<size_t>(scene.num_planes) * scene.num_pixels;
  const uint8_t* const from = painted + blockIdx.x * frame_bytes;
  uint8_t* const to = PlaceInRows(images, static_cast<int>(blockIdx.x), frame_bytes);
  for (int plane = 0; plane < scene.num_planes; ++plane) {
    const size_t first = static_cast<size_t>(plane) * scene.num_pixels;
    to[first + pixel] =
        FinishedLevel(scene, frames[blockIdx.x].effects[plane], from + first, pixel);
  }
}

struct Camera {
  DeviceMemory memory;
  CameraScene scene;  // in the GPU's memory
  BatchMemory<CameraFrame> frames;
  BatchMemory<uint8_t> painted;
};

bool UploadLevels(const CudaCameraParts& parts, Camera& camera) {
  const size_t count = static_cast<size_t>(parts.num_grounds) * kMaxCameraLevels;
  std::vector<CameraLevel> levels(parts.scene.levels, parts.scene.levels + count);
  for (size_t i = 0; i < count; ++i) {
    const size_t num_texels = parts.level_texels[i];
    if (num_texels > 0 && !camera.memory.Upload(num_texels, levels[i].texels)) return false;
  }
  camera.scene.levels = levels.data();
  return camera.memory.Upload(count, camera.scene.levels);
}

}  // namespace

void* MakeCamera(const CudaCameraParts* parts) {
  auto camera = std::make_unique<Camera>();
  CameraScene& scene = camera->scene = parts->scene;
  DeviceMemory& memory = camera->memory;
  const size_t num_pixels = static_cast<size_t>(scene.num_pixels);
  const bool is_ready =
      memory.Upload(num_pixels, scene.ray_x) && memory.Upload(num_pixels, scene.ray_y) &&
      memory.Upload(num_pixels, scene.ray_z) &&
      memory.Upload(num_pixels / kPixelBlock, scene.block_level) &&
      memory.Upload(parts->noise_bytes, scene.noise) && UploadLevels(*parts, *camera);
  return is_ready ? camera.release() : nullptr;
}

int PaintFrames(void* camera, const CameraFrame* frames, int num_frames, const CudaRows* images,
                void* stream) {
  Camera& eye = *static_cast<Camera*>(camera);
  const auto queue = static_cast<cudaStream_t>(stream);
  const int frame_bytes = eye.scene.num_planes * eye.scene.num_pixels;
  uint8_t* const painted = eye.painted.Reserve(static_cast<size_t>(num_frames) * frame_bytes);
  const CameraFrame* const device_frames =
      eye.frames.Upload(frames, static_cast<size_t>(num_frames), queue);
  if (painted == nullptr || device_frames == nullptr) return 1;
  const dim3 grid(num_frames, (eye.scene.num_pixels + kThreadsPerBlock - 1) / kThreadsPerBlock);
  PaintKernel<<<grid, kThreadsPerBlock, 0, queue>>>(eye.scene, device_frames, painted);
  FinishKernel<<<grid, kThreadsPerBlock, 0, queue>>>(eye.scene, device_frames, painted, *images);
  return Succeeded(cudaGetLastError(), "painting") ? 0 : 1;
}

void FreeCamera(void* camera) { delete static_cast<Camera*>(camera); }

}  // namespace lapforge::sim
