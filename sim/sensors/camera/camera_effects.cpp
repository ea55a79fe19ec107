#include "sim/sensors/camera/camera_effects.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/math.h"
#include "sim/sensors/camera/camera_effects_kernel.inl"

namespace lapforge::sim {
namespace {

constexpr int kMaxWidthPx = 640;
constexpr int kMaxPixels = kMaxWidthPx * 480;
constexpr int kNoiseOne = 32;
// Places where a reading of the table may start, beyond the pixels of the largest image.
constexpr uint32_t kNumNoisePlaces = 1 << 16;

int FixedFrom(double value, int bits) { return static_cast<int>(std::lround(value * (1 << bits))); }

// Rows as they were before the blur, with a pixel repeated at each end.
struct BlurRows {
  using Row = std::array<int, kMaxWidthPx + 2>;
  Row above, here, below;
};

void CopyRow(const uint8_t* from, int width_px, BlurRows::Row& to) {
  for (int x = 0; x < width_px; ++x) to[static_cast<size_t>(x) + 1] = from[x];
  to[0] = to[1];
  to[static_cast<size_t>(width_px) + 1] = to[static_cast<size_t>(width_px)];
}

void Blur(const PlaneEffects& effects, int width_px, std::span<uint8_t> plane) {
  const int height_px = static_cast<int>(plane.size()) / width_px;
  BlurRows rows;
  CopyRow(plane.data(), width_px, rows.here);
  rows.above = rows.here;
  for (int y = 0; y < height_px; ++y) {
    uint8_t* const row = plane.data() + y * width_px;
    if (y + 1 < height_px) {
      CopyRow(row + width_px, width_px, rows.below);
    } else {
      rows.below = rows.here;
    }
    for (int x = 0; x < width_px; ++x) {
      int sum = 0;
      for (const BlurRows::Row* line : {&rows.above, &rows.here, &rows.below}) {
        for (int i = 0; i < 3; ++i) sum += (*line)[static_cast<size_t>(x + i)];
      }
      const int level = rows.here[static_cast<size_t>(x) + 1];
      row[x] = static_cast<uint8_t>(BlurredLevel(level, sum, effects));
    }
    rows.above = rows.here;
    rows.here = rows.below;
  }
}

}  // namespace

ImageEffector::ImageEffector() : noise_(kNumNoisePlaces + kMaxPixels) {
  RngStream random(0, 1, 0, RngPurpose::kSensorNoise);
  for (int8_t& number : noise_) {
    number = static_cast<int8_t>(Clamp(std::round(random.Normal() * kNoiseOne), -127.0, 127.0));
  }
}

PlaneEffects ImageEffector::Plan(const ImageEffects& effects, RngStream& random) const {
  constexpr double kMiddle = 128;
  PlaneEffects plan;
  plan.blur_self = FixedFrom(1 - effects.blur_frac, kEffectBlurBits);
  plan.blur_ninth = FixedFrom(effects.blur_frac / 9, kEffectBlurBits);
  // grey -> factor * grey + shift + noise
  plan.factor = FixedFrom(effects.light_factor * effects.contrast_factor, kEffectFactorBits);
  const double shift = kMiddle * (1 - effects.contrast_factor) + effects.brightness_levels;
  plan.shift = FixedFrom(shift, kEffectFactorBits) + (1 << (kEffectFactorBits - 1));
  if (effects.noise_levels > 0) {
    plan.noise_factor = FixedFrom(effects.noise_levels, kEffectFactorBits);
    plan.noise_place = random.NextU32() % kNumNoisePlaces;
  }
  return plan;
}

void ImageEffector::Apply(const PlaneEffects& effects, int width_px,
                          std::span<uint8_t> plane) const {
  if (effects.blur_ninth > 0) Blur(effects, width_px, plane);
  const PlaneEffects none;
  if (effects.noise_factor > 0) {
    const int8_t* const noise = noise_.data() + effects.noise_place;
    for (size_t i = 0; i < plane.size(); ++i) plane[i] = ShadedLevel(plane[i], noise[i], effects);
  } else if (effects.factor != none.factor || effects.shift != none.shift) {
    for (uint8_t& pixel : plane) pixel = ShadedLevel(pixel, 0, effects);
  }
}

}  // namespace lapforge::sim
