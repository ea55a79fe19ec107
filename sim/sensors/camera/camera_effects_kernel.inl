// The effects' arithmetic for one grey level, shared by CPU and GPU.
#pragma once

#include "sim/sensors/camera/camera_frame.h"

#ifndef LAPFORGE_DEVICE
#define LAPFORGE_DEVICE
#endif

namespace lapforge::sim {

// Fixed point: of factors, of what the noise table and its factor give together.
constexpr int kEffectFactorBits = 8;
constexpr int kEffectNoiseBits = 13;
constexpr int kEffectBlurBits = 16;

// A level and the sum of the nine around it.
LAPFORGE_DEVICE inline int BlurredLevel(int level, int sum_of_nine, const PlaneEffects& effects) {
  const int half = 1 << (kEffectBlurBits - 1);
  const int mixed = level * effects.blur_self + sum_of_nine * effects.blur_ninth + half;
  const int blurred = mixed >> kEffectBlurBits;
  return blurred < 255 ? blurred : 255;
}

// `noise` is a number of ImageEffector's table.
LAPFORGE_DEVICE inline uint8_t ShadedLevel(int level, int noise, const PlaneEffects& effects) {
  const int noisy = noise * effects.noise_factor >> (kEffectNoiseBits - kEffectFactorBits);
  const int shaded = (level * effects.factor + effects.shift + noisy) >> kEffectFactorBits;
  return static_cast<uint8_t>(shaded < 0 ? 0 : (shaded > 255 ? 255 : shaded));
}

}  // namespace lapforge::sim
