#include "sim/sensors/camera/camera_ground.h"

#include <algorithm>
#include <cmath>

#include "sim/base/rng.h"

namespace lapforge::sim {
namespace {

// What kernels may read beyond the last texel.
constexpr size_t kReadBeyondBytes = 8;
// Sampling stays this far before the last texel's middle, so that its right neighbour exists.
constexpr float kRoomTexels = 1.0f / 128;

// Y of spec/deepracer.md 2.2.
uint8_t GrayOf(tracks::Rgb color) {
  return static_cast<uint8_t>(
      std::lround(0.2989 * color.red + 0.5870 * color.green + 0.1140 * color.blue));
}

}  // namespace

CameraGround::CameraGround(const tracks::GroundTexture& texture)
    : num_planes_(texture.format == tracks::TextureFormat::kRgb ? 3 : 1) {
  const tracks::Rgb field = texture.field;
  const uint8_t gray = GrayOf(field);
  const uint8_t rim[3] = {num_planes_ == 1 ? gray : field.red, field.green, field.blue};
  const size_t planes = static_cast<size_t>(num_planes_);
  const size_t count = std::min(texture.levels.size(), size_t{kMaxCameraLevels});
  for (size_t i = 0; i < count; ++i) {
    const tracks::TextureLevel& from = texture.levels[i];
    Level level;
    level.width_px = from.width_px + 2;
    level.height_px = from.height_px + 2;
    level.texel_m = from.texel_m;
    level.origin_m = from.origin_m - Vec2{from.texel_m / 2, from.texel_m / 2};
    const size_t width = static_cast<size_t>(level.width_px);
    const size_t num_bytes = width * static_cast<size_t>(level.height_px) * planes;
    level.texels.resize(num_bytes + kReadBeyondBytes);
    for (size_t byte = 0; byte < num_bytes; ++byte) level.texels[byte] = rim[byte % planes];
    const size_t row_bytes = static_cast<size_t>(from.width_px) * planes;
    for (size_t row = 0; row < static_cast<size_t>(from.height_px); ++row) {
      std::copy_n(
          from.texels.begin() + static_cast<std::ptrdiff_t>(row * row_bytes), row_bytes,
          level.texels.begin() + static_cast<std::ptrdiff_t>(((row + 1) * width + 1) * planes));
    }
    levels_.push_back(std::move(level));
  }
}

CameraLevel CameraGround::level(int index) const {
  const Level& level = levels_[static_cast<size_t>(index)];
  return {level.texels.data(),
          level.width_px * num_planes_,
          static_cast<float>(1 / level.texel_m),
          0,
          0,
          static_cast<float>(level.width_px - 1) - kRoomTexels,
          static_cast<float>(level.height_px - 1) - kRoomTexels};
}

void CameraGround::PlaceCamera(Vec2 camera_m, float u[kMaxCameraLevels],
                               float v[kMaxCameraLevels]) const {
  for (size_t i = 0; i < levels_.size(); ++i) {
    const Vec2 place = (camera_m - levels_[i].origin_m) / levels_[i].texel_m;
    u[i] = static_cast<float>(place.x);
    v[i] = static_cast<float>(place.y);
  }
}

tracks::GroundStyle GroundStyleOf(int ground_index, double color_levels) {
  tracks::GroundStyle style;
  if (ground_index == 0) return style;
  RngStream random(0, static_cast<uint32_t>(ground_index), 0, RngPurpose::kRandomization);
  const auto vary = [&](uint8_t& level) {
    const double varied = level + random.Uniform(-1, 1) * color_levels;
    level = static_cast<uint8_t>(Clamp(std::round(varied), 0.0, 255.0));
  };
  for (tracks::Rgb* color :
       {&style.field, &style.road, &style.border, &style.center, &style.start}) {
    vary(color->red), vary(color->green), vary(color->blue);
  }
  return style;
}

}  // namespace lapforge::sim
