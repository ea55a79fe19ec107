// A track's painted ground as the camera's kernels read it.
#pragma once

#include <vector>

#include "sim/sensors/camera/camera_job.h"
#include "tracks/ground_texture.h"

namespace lapforge::sim {

// Mip levels with a rim of field, so that beyond the edges there is only field.
class CameraGround {
 public:
  explicit CameraGround(const tracks::GroundTexture& texture);

  // A level for the kernels; where the camera is, is for PlaceCamera to say.
  CameraLevel level(int index) const;
  // Of all planes of a level.
  size_t num_texels(int index) const { return levels_[static_cast<size_t>(index)].texels.size(); }
  // Coordinates, in each level, of the point below a camera.
  void PlaceCamera(Vec2 camera_m, float u[kMaxCameraLevels], float v[kMaxCameraLevels]) const;

  int num_levels() const { return static_cast<int>(levels_.size()); }
  double texel_m() const { return levels_.front().texel_m; }
  int num_planes() const { return num_planes_; }

 private:
  struct Level {
    std::vector<uint16_t> texels;  // of CameraLevel
    int width_px = 0;              // rim included
    int height_px = 0;
    double texel_m = 0;
    Vec2 origin_m;  // the middle of the rim's first texel
  };

  void AddPlane(const tracks::TextureLevel& from, int plane, uint8_t rim, Level& level) const;

  int num_planes_ = 1;
  std::vector<Level> levels_;
};

// The colours of ground number `ground_index` of a track: the usual ones for 0, others differ by up
// to `color_levels` in each colour of each part.
tracks::GroundStyle GroundStyleOf(int ground_index, double color_levels);

}  // namespace lapforge::sim
