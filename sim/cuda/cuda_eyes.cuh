// The functions behind CudaTable that the other files of the plug-in hold.
#pragma once

#include "sim/cuda/cuda_table.h"

namespace lapforge::sim {

void* MakeCamera(const CudaCameraParts* parts);
int PaintFrames(void* camera, const CameraFrame* frames, int num_frames, const CudaRows* images,
                void* stream);
void FreeCamera(void* camera);

void* MakeLidar(const CudaLidarParts* parts);
int ScanFrames(void* lidar, const LidarFrame* frames, int num_frames, const CudaRows* numbers,
               void* stream);
void FreeLidar(void* lidar);

}  // namespace lapforge::sim
