// What a camera shows, split into what is shared by all images and what one image adds: plain
// numbers and borrowed pointers, for CPU and GPU.
#pragma once

#include <cstdint>

#include "sim/sensors/camera/camera_job.h"
#include "sim/sim_options.h"

namespace lapforge::sim {

// Fixed-point numbers of ImageEffector for one plane of one image.
struct PlaneEffects {
  int32_t blur_self = 0;    // weight of a pixel, in 1/65536; no blur where blur_ninth is 0
  int32_t blur_ninth = 0;   // and of the sum of the 3 x 3 around it
  int32_t factor = 1 << 8;  // grey levels times this, in 1/256
  int32_t shift = 1 << 7;   // then plus this, in 1/256, rounding included
  int32_t noise_factor = 0;
  uint32_t noise_place = 0;  // where in the table of noise the plane starts

  bool operator==(const PlaneEffects&) const = default;
};

// One image of one env.
struct CameraFrame {
  float rotation[9];  // of CameraJob
  float camera_height_m;
  float camera_u[kMaxCameraLevels];  // of the levels of its ground
  float camera_v[kMaxCameraLevels];
  int32_t ground_index;
  int32_t num_boxes;
  CameraBoxJob boxes[kMaxObjects];  // far ones first
  PlaneEffects effects[kMaxImagePlanes];
};

// Shared by all frames of a simulator.
struct CameraScene {
  const float* ray_x;  // [num_pixels], see CameraJob
  const float* ray_y;
  const float* ray_z;
  const uint8_t* block_level;
  int width_px;
  int num_pixels;
  int num_planes;
  float horizon[kMaxImagePlanes];
  float zenith[kMaxImagePlanes];
  const CameraLevel* levels;  // [num_grounds][kMaxCameraLevels], camera_u and camera_v not set
  const int8_t* noise;        // ImageEffector's table
};

}  // namespace lapforge::sim
