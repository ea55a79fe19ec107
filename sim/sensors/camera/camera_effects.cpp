#include "sim/sensors/camera/camera_effects.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/math.h"

namespace lapforge::sim {
namespace {

constexpr int kMaxWidthPx = 640;
constexpr int kMaxPixels = kMaxWidthPx * 480;
// Fixed point: of the noise table, of factors, of what the table and its factor give together.
constexpr int kNoiseOne = 32;
constexpr int kFactorBits = 8;
constexpr int kNoiseBits = 13;
// Places where a reading of the table may start, beyond the pixels of the largest image.
constexpr uint32_t kNumNoisePlaces = 1 << 16;

int FixedFrom(double value) { return static_cast<int>(std::lround(value * (1 << kFactorBits))); }

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

void Blur(double frac, int width_px, std::span<uint8_t> plane) {
  // weights of the pixel itself and of the sum of all nine, in 1/65536
  const int self = static_cast<int>(std::lround(65536 * (1 - frac)));
  const int ninth = static_cast<int>(std::lround(65536 * frac / 9));
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
      const int mixed = rows.here[static_cast<size_t>(x) + 1] * self + sum * ninth + 32768;
      row[x] = static_cast<uint8_t>(std::min(mixed >> 16, 255));
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

void ImageEffector::Apply(const ImageEffects& effects, int width_px, RngStream& random,
                          std::span<uint8_t> plane) const {
  if (effects.blur_frac > 0) Blur(effects.blur_frac, width_px, plane);

  // grey -> factor * grey + shift + noise
  constexpr double kMiddle = 128;
  const int factor = FixedFrom(effects.light_factor * effects.contrast_factor);
  const double shift = kMiddle * (1 - effects.contrast_factor) + effects.brightness_levels;
  const int rounded_shift = FixedFrom(shift) + (1 << (kFactorBits - 1));
  if (effects.noise_levels > 0) {
    const int8_t* const noise = noise_.data() + random.NextU32() % kNumNoisePlaces;
    const int noise_factor = FixedFrom(effects.noise_levels);
    for (size_t i = 0; i < plane.size(); ++i) {
      const int noisy = noise[i] * noise_factor >> (kNoiseBits - kFactorBits);
      plane[i] = static_cast<uint8_t>(
          Clamp((plane[i] * factor + rounded_shift + noisy) >> kFactorBits, 0, 255));
    }
  } else if (factor != 1 << kFactorBits || shift != 0) {
    for (uint8_t& pixel : plane) {
      pixel = static_cast<uint8_t>(Clamp((pixel * factor + rounded_shift) >> kFactorBits, 0, 255));
    }
  }
}

}  // namespace lapforge::sim
