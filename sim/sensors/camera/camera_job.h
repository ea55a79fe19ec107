// What the camera's kernels work on: plain numbers and borrowed pointers, for CPU and GPU.
#pragma once

#include <cstdint>

namespace lapforge::sim {

// Pixels are worked on in blocks of this many, in memory order; an image has a whole number of
// them.
inline constexpr int kPixelBlock = 16;
inline constexpr int kMaxCameraLevels = 16;
inline constexpr int kMaxImagePlanes = 3;
// Bilinear weights have 7 bits: products with texels fit 16 bits.
inline constexpr int kWeightBits = 7;
inline constexpr int kWeightOne = 1 << kWeightBits;
// What a texel's byte adds to its grey level, so that it is a signed number.
inline constexpr int kTexelShift = 128;

// A mip level of the ground with a rim of field around it. Sampling coordinates count steps of
// 1 / kWeightOne texel from the middle of the rim's first texel.
struct CameraLevel {
  // [num_planes][plane_texels], rows of row_texels: a texel in the low byte, the one above it in
  // the high byte. A word that starts at a texel has all four that a point between them needs.
  const uint16_t* texels;
  int row_texels;
  int plane_texels;
  float steps_per_m;
  float camera_u, camera_v;  // of the point below the camera
  float max_u, max_v;        // of the last step with a right and an upper neighbour
};

// One image. Rays and world: x forward or east, y left or north, z up.
struct CameraJob {
  const float* ray_x;  // [num_pixels] directions of the pixels in the camera's frame
  const float* ray_y;
  const float* ray_z;
  const uint8_t* block_level;  // [num_pixels / kPixelBlock] index into levels
  int num_pixels;
  int num_planes;     // 1 gray, 3 RGB
  float rotation[9];  // rows: camera to world, perhaps with columns scaled (field of view)
  float camera_height_m;
  float horizon[kMaxImagePlanes];  // grey levels of the sky
  float zenith[kMaxImagePlanes];
  CameraLevel levels[kMaxCameraLevels];
  uint8_t* image;  // [num_planes][num_pixels]
};

// A box to paint over the image where rays hit it.
struct CameraBoxJob {
  float rotation[9];  // rows: ray to the box's frame
  float camera_m[3];  // in the box's frame, from its middle
  float half_m[3];
  int shade[3][kMaxImagePlanes];  // grey levels of the faces across x, y and z
  int width_px;
  int first_column, last_column;  // pixels that may see it, ends included
  int first_row, last_row;
};

}  // namespace lapforge::sim
