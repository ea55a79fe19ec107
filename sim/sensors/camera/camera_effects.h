// What happens to an image between the ground and the network: blur, light, contrast, noise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/rng.h"
#include "sim/sensors/camera/camera_frame.h"

namespace lapforge::sim {

struct ImageEffects {
  double blur_frac = 0;          // 0: none, 1: each pixel becomes the mean of 3 x 3
  double light_factor = 1;       // grey levels times this
  double contrast_factor = 1;    // then away from the middle grey
  double brightness_levels = 0;  // then plus this
  double noise_levels = 0;       // then normal noise of this standard deviation

  bool operator==(const ImageEffects&) const = default;
};

class ImageEffector {
 public:
  ImageEffector();

  // The same in fixed point. Draws one word where there is noise.
  PlaneEffects Plan(const ImageEffects& effects, RngStream& random) const;

  // Changes a plane of `width_px` x rows in place; at most 640 columns.
  void Apply(const PlaneEffects& effects, int width_px, std::span<uint8_t> plane) const;

  // Standard normal numbers in 1/32, at least as many from any place on as an image has pixels.
  std::span<const int8_t> noise() const { return noise_; }

 private:
  std::vector<int8_t> noise_;
};

}  // namespace lapforge::sim
