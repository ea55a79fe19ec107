#include "sim/sensors/camera/camera_ground.h"

#include <algorithm>
#include <cmath>

#include "sim/base/huge_pages.h"
#include "sim/base/rng.h"

namespace lapforge::sim {
namespace {

// Y of spec/deepracer.md 2.2.
uint8_t GrayOf(tracks::Rgb color) {
  return static_cast<uint8_t>(
      std::lround(0.2989 * color.red + 0.5870 * color.green + 0.1140 * color.blue));
}

}  // namespace

CameraGround::CameraGround(const tracks::GroundTexture& texture)
    : num_planes_(texture.format == tracks::TextureFormat::kRgb ? 3 : 1) {
  const tracks::Rgb field = texture.field;
  const uint8_t rim[3] = {num_planes_ == 1 ? GrayOf(field) : field.red, field.green, field.blue};
  const size_t count = std::min(texture.levels.size(), size_t{kMaxCameraLevels});
  for (size_t i = 0; i < count; ++i) {
    const tracks::TextureLevel& from = texture.levels[i];
    Level level;
    level.width_px = from.width_px + 2;
    level.height_px = from.height_px + 2;
    level.texel_m = from.texel_m;
    level.origin_m = from.origin_m - Vec2{from.texel_m / 2, from.texel_m / 2};
    for (int plane = 0; plane < num_planes_; ++plane) AddPlane(from, plane, rim[plane], level);
    UseHugePages(level.texels.data(), level.texels.data() + level.texels.size());
    levels_.push_back(std::move(level));
  }
}

// Pairs of texels one above the other: the last row is in those of the row before.
void CameraGround::AddPlane(const tracks::TextureLevel& from, int plane, uint8_t rim,
                            Level& level) const {
  const auto texel_at = [&](int column, int row) {
    const bool is_rim = column == 0 || row == 0 || column > from.width_px || row > from.height_px;
    const int texel = (row - 1) * from.width_px + column - 1;
    const uint8_t gray =
        is_rim ? rim : from.texels[static_cast<size_t>(texel * num_planes_ + plane)];
    return static_cast<uint8_t>(gray - kTexelShift);
  };
  for (int row = 0; row + 1 < level.height_px; ++row) {
    for (int column = 0; column < level.width_px; ++column) {
      level.texels.push_back(
          static_cast<uint16_t>(texel_at(column, row) | texel_at(column, row + 1) << 8));
    }
  }
}

CameraLevel CameraGround::level(int index) const {
  const Level& level = levels_[static_cast<size_t>(index)];
  return {level.texels.data(),
          level.width_px,
          level.width_px * (level.height_px - 1),
          static_cast<float>(1 / level.texel_m) * kWeightOne,
          0,
          0,
          static_cast<float>(level.width_px - 1) * kWeightOne - 1,
          static_cast<float>(level.height_px - 1) * kWeightOne - 1};
}

void CameraGround::PlaceCamera(Vec2 camera_m, float u[kMaxCameraLevels],
                               float v[kMaxCameraLevels]) const {
  for (size_t i = 0; i < levels_.size(); ++i) {
    const Vec2 place = (camera_m - levels_[i].origin_m) / levels_[i].texel_m;
    u[i] = static_cast<float>(place.x * kWeightOne);
    v[i] = static_cast<float>(place.y * kWeightOne);
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
