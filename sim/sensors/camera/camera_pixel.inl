// One pixel of one image from a scene and a frame: what a GPU thread does. A loop over it on the
// CPU gives the bytes of CameraSensor (tests/sim/camera_pixel_test.cpp).
#pragma once

#include "sim/sensors/camera/camera_effects_kernel.inl"
#include "sim/sensors/camera/camera_frame.h"
#include "sim/sensors/camera/camera_kernel.inl"
#include "sim/sensors/camera/scalar_lanes.h"

namespace lapforge::sim {
namespace {

LAPFORGE_DEVICE inline bool CoversPixel(const CameraBoxJob& box, int pixel) {
  const int row = pixel / box.width_px;
  const int column = pixel % box.width_px;
  return row >= box.first_row && row <= box.last_row && column >= box.first_column &&
         column <= box.last_column;
}

// Ground, sky and boxes, into `image` [num_planes][num_pixels].
LAPFORGE_DEVICE inline void PaintFramePixel(const CameraScene& scene, const CameraFrame& frame,
                                            int pixel, uint8_t* image) {
  using Kernel = CameraKernel<ScalarLanes>;
  CameraJob job;
  job.ray_x = scene.ray_x;
  job.ray_y = scene.ray_y;
  job.ray_z = scene.ray_z;
  job.num_pixels = scene.num_pixels;
  job.num_planes = scene.num_planes;
  job.camera_height_m = frame.camera_height_m;
  job.image = image;
  for (int i = 0; i < 9; ++i) job.rotation[i] = frame.rotation[i];
  for (int plane = 0; plane < kMaxImagePlanes; ++plane) {
    job.horizon[plane] = scene.horizon[plane];
    job.zenith[plane] = scene.zenith[plane];
  }

  const int index = scene.block_level[pixel / kPixelBlock];
  CameraLevel level = scene.levels[frame.ground_index * kMaxCameraLevels + index];
  level.camera_u = frame.camera_u[index];
  level.camera_v = frame.camera_v[index];
  if (job.num_planes == 1) {
    Kernel::PaintPixels<1>(job, level, pixel);
  } else {
    Kernel::PaintPixels<kMaxImagePlanes>(job, level, pixel);
  }
  for (int i = 0; i < frame.num_boxes; ++i) {
    if (CoversPixel(frame.boxes[i], pixel)) Kernel::PaintBoxPixels(job, frame.boxes[i], pixel);
  }
}

// The sum of the 3 x 3 around a pixel of a plane; pixels at the edges count again.
LAPFORGE_DEVICE inline int SumOfNine(const CameraScene& scene, const uint8_t* plane, int pixel) {
  const int last_row = scene.num_pixels / scene.width_px - 1;
  const int row = pixel / scene.width_px;
  const int column = pixel % scene.width_px;
  int sum = 0;
  for (int i = -1; i <= 1; ++i) {
    const int y = row + i < 0 ? 0 : (row + i > last_row ? last_row : row + i);
    for (int j = -1; j <= 1; ++j) {
      const int last = scene.width_px - 1;
      const int x = column + j < 0 ? 0 : (column + j > last ? last : column + j);
      sum += plane[y * scene.width_px + x];
    }
  }
  return sum;
}

// Blur, light and noise: one byte of the image from what was painted.
LAPFORGE_DEVICE inline uint8_t FinishedLevel(const CameraScene& scene, const PlaneEffects& effects,
                                             const uint8_t* painted_plane, int pixel) {
  int level = painted_plane[pixel];
  if (effects.blur_ninth > 0) {
    level = BlurredLevel(level, SumOfNine(scene, painted_plane, pixel), effects);
  }
  const int noise = effects.noise_factor > 0
                        ? scene.noise[effects.noise_place + static_cast<uint32_t>(pixel)]
                        : 0;
  return ShadedLevel(level, noise, effects);
}

}  // namespace
}  // namespace lapforge::sim
