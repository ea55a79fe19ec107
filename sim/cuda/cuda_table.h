// The plug-in's functions, as the program finds them: plain C, so that neither side needs the
// other's libraries. Pointers named device_* are in the GPU's memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/sensors/camera/camera_frame.h"
#include "sim/sensors/lidar/lidar_frame.h"

namespace lapforge::sim {

// Rises with every change of the table or of what its functions take.
inline constexpr int kCudaTableVersion = 2;
inline constexpr const char* kCudaTableName = "lapforge_cuda_table";

// A scene in the CPU's memory, and how much there is of it to copy.
struct CudaCameraParts {
  CameraScene scene;
  int num_grounds;
  const size_t* level_texels;  // [num_grounds][kMaxCameraLevels], 0: no such level
  size_t noise_bytes;
};
struct CudaLidarParts {
  LidarScene scene;
  int num_grids;
  const int* num_segments;  // [num_grids]
  size_t num_normals;
};

// Where frames go, in the GPU's memory: some of them side by side in each row.
struct CudaRows {
  uint8_t* first;  // the first frame's place in the first row
  size_t stride_bytes;
  int frames_per_row;
};

// The place of a frame of `frame_bytes`.
LAPFORGE_DEVICE inline uint8_t* PlaceInRows(const CudaRows& rows, int frame, size_t frame_bytes) {
  const size_t row = static_cast<size_t>(frame / rows.frames_per_row);
  const size_t column = static_cast<size_t>(frame % rows.frames_per_row);
  return rows.first + row * rows.stride_bytes + column * frame_bytes;
}

// Functions that return int say 0 when all is well, pointers are null when it is not; then
// last_error() has one line, of the calling thread.
struct CudaTable {
  int version;
  const char* (*last_error)();
  int (*count_devices)(int* count);

  // The GPU's memory, for callers without their own.
  void* (*allocate)(size_t num_bytes);
  int (*copy_to_host)(void* to, const void* device_from, size_t num_bytes);
  void (*release)(void* device_memory);

  // Eyes copy their scene to the GPU. Frames lie in the CPU's memory; the stream is a cudaStream_t
  // or null, and the call returns once its work is queued there.
  void* (*make_camera)(const CudaCameraParts* parts);
  int (*paint)(void* camera, const CameraFrame* frames, int num_frames, const CudaRows* images,
               void* stream);
  void (*free_camera)(void* camera);

  void* (*make_lidar)(const CudaLidarParts* parts);
  int (*scan)(void* lidar, const LidarFrame* frames, int num_frames, const CudaRows* numbers,
              void* stream);
  void (*free_lidar)(void* lidar);
};

}  // namespace lapforge::sim

namespace lapforge::sim {

// The same functions on the CPU: for tests of the code around a GPU.
const CudaTable& TwinCudaTable();

}  // namespace lapforge::sim

// The one symbol of the plug-in.
extern "C" __attribute__((visibility("default"))) const lapforge::sim::CudaTable*
lapforge_cuda_table();
