// The rays of a camera's pixels, and how finely each looks at the ground.
#pragma once

#include <optional>
#include <vector>

#include "sim/sensors.h"
#include "sim/sensors/body_frame.h"
#include "sim/sensors/camera/camera_job.h"

namespace lapforge::sim {

// Column and row of a point in the image; (0, 0) is the middle of the upper left pixel.
struct PixelPlace {
  double column = 0;
  double row = 0;
};

class CameraLens {
 public:
  explicit CameraLens(const CameraOptions& options);

  // Direction of a place in the image, in the camera's frame: x forward, y left, z up.
  Vec3 RayOf(PixelPlace place) const;
  // Where a point of the camera's frame appears; nothing for one that no ray meets: behind a
  // pinhole.
  std::optional<PixelPlace> PlaceOf(Vec3 point) const;

  // For the kernels: [num_pixels] each, row after row.
  const std::vector<float>& ray_x() const { return ray_x_; }
  const std::vector<float>& ray_y() const { return ray_y_; }
  const std::vector<float>& ray_z() const { return ray_z_; }

  // The mip level of each block of pixels for a camera of this rotation (to the world) and height
  // above a ground with texels of `texel_m`: a texel about as large as what a pixel sees.
  std::vector<uint8_t> BlockLevels(const Rotation3& rotation, double height_m, double texel_m,
                                   int num_levels) const;

 private:
  bool is_fisheye_;
  int width_px_;
  int height_px_;
  double focal_px_;
  std::vector<float> ray_x_;
  std::vector<float> ray_y_;
  std::vector<float> ray_z_;
};

}  // namespace lapforge::sim
