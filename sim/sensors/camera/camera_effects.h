// What happens to an image between the ground and the network: blur, light, contrast, noise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/rng.h"

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

  // Changes a plane of `width_px` x rows in place; at most 640 columns. Draws one word where there
  // is noise.
  void Apply(const ImageEffects& effects, int width_px, RngStream& random,
             std::span<uint8_t> plane) const;

 private:
  std::vector<int8_t> noise_;  // standard normal numbers times kNoiseOne
};

}  // namespace lapforge::sim
