#include "tracks/ground_texture.h"

#include <algorithm>
#include <cmath>

#include "tracks/geometry/bounds.h"
#include "tracks/raster/levels.h"
#include "tracks/raster/sample_painter.h"

namespace lapforge::tracks {
namespace {

constexpr double kMaxBytes = 1 << 30;
// Keeps samples in 32 bits; 327 m at 5 mm.
constexpr double kMaxSide_px = 1 << 16;

Result<void> CheckStyle(const GroundStyle& style) {
  struct Limits {
    const char* name;
    double value, low, high;
  };
  const Limits all[] = {
      {"texel_m", style.texel_m, 0.001, 0.1},
      {"margin_m", style.margin_m, 0, 20},
      {"border_width_m", style.border_width_m, 0, 0.3},
      {"center_width_m", style.center_width_m, 0, 0.3},
      {"dash_length_m", style.dash_length_m, 0.02, 10},
      {"start_width_m", style.start_width_m, 0, 0.3},
  };
  for (const auto& [name, value, low, high] : all) {
    if (!(value >= low && value <= high)) {
      return ErrorOf("ground texture: ", name, " is ", value, "; expected ", low, " .. ", high);
    }
  }
  return {};
}

int NumChannels(const GroundStyle& style) { return style.format == TextureFormat::kGray ? 1 : 3; }

// The same lightness in all channels, for gray (ITU-R BT.601).
Rgb Painted(Rgb color, TextureFormat format) {
  if (format == TextureFormat::kRgb) return color;
  const auto gray = static_cast<uint8_t>(
      std::lround(0.299 * color.red + 0.587 * color.green + 0.114 * color.blue));
  return {gray, gray, gray};
}

struct Size {
  double width_px = 0;
  double height_px = 0;

  double Bytes(int num_channels) const { return 4.0 / 3.0 * width_px * height_px * num_channels; }
};

Size SizeAt(Vec2 size_m, double texel_m) {
  return {std::max(1.0, std::ceil(size_m.x / texel_m)),
          std::max(1.0, std::ceil(size_m.y / texel_m))};
}

bool Fits(Size size, int num_channels) {
  return std::max(size.width_px, size.height_px) <= kMaxSide_px &&
         size.Bytes(num_channels) <= kMaxBytes;
}

Error TooLarge(const Track& track, const GroundStyle& style, Vec2 size_m) {
  const double gib = SizeAt(size_m, style.texel_m).Bytes(NumChannels(style)) / kMaxBytes;
  constexpr double kStep_m = 0.0005;
  double texel_m = std::ceil(style.texel_m / kStep_m) * kStep_m;
  while (texel_m <= 0.1 && !Fits(SizeAt(size_m, texel_m), NumChannels(style))) texel_m += kStep_m;
  const std::string advice = texel_m <= 0.1
                                 ? StrCat("use a texel of ", FormatFixed(texel_m, 4), " m or more")
                                 : std::string("no texel up to 0.1 m makes it fit");
  return ErrorOf("the ground of '", track.name(), "' is ", FormatFixed(size_m.x, 1), " x ",
                 FormatFixed(size_m.y, 1), " m, ", FormatFixed(gib, 2), " GiB at ", style.texel_m,
                 " m a texel; expected at most 1 GiB and 65536 texels a side: ", advice);
}

// The finest level, still without texels.
Result<TextureLevel> FinestLevel(const Track& track, const GroundStyle& style) {
  const Box road = BoundsOf(track);
  const Vec2 margin_m = {style.margin_m, style.margin_m};
  const Vec2 size_m = road.high_m - road.low_m + 2 * margin_m;
  const Size size = SizeAt(size_m, style.texel_m);
  if (!Fits(size, NumChannels(style))) return TooLarge(track, style, size_m);

  TextureLevel level;
  level.width_px = static_cast<int>(size.width_px);
  level.height_px = static_cast<int>(size.height_px);
  level.texel_m = style.texel_m;
  level.origin_m = road.low_m - margin_m;
  return level;
}

void PaintLevel(const Track& track, const GroundStyle& style, TextureLevel& level) {
  // a strip of samples stays in the cache
  constexpr int kStripRows_px = 16;
  SamplePainter painter(GroundPatches(track, style), level.origin_m,
                        level.texel_m / kSamplesPerTexel);
  cv::Mat1b samples(kStripRows_px * kSamplesPerTexel, level.width_px * kSamplesPerTexel);

  const Palette palette = {Painted(style.field, style.format), Painted(style.road, style.format),
                           Painted(style.center, style.format), Painted(style.start, style.format),
                           Painted(style.border, style.format)};
  const size_t row_bytes = static_cast<size_t>(level.width_px) * NumChannels(style);
  level.texels.resize(row_bytes * level.height_px);
  for (int y = 0; y < level.height_px; ++y) {
    const int strip_row = y % kStripRows_px;
    if (strip_row == 0) painter.PaintRows(y * kSamplesPerTexel, samples);
    AverageSamples(samples.ptr(strip_row * kSamplesPerTexel), palette, NumChannels(style),
                   std::span(level.texels).subspan(y * row_bytes, row_bytes));
  }
}

}  // namespace

Result<GroundTexture> PaintGround(const Track& track, const GroundStyle& style) {
  LAPFORGE_CHECK_OK(CheckStyle(style));
  LAPFORGE_TRY(TextureLevel level, FinestLevel(track, style));
  // of mirrored outlines OpenCV fills a few samples otherwise
  PaintLevel(track.is_reversed() ? track.Reversed() : track, style, level);

  GroundTexture texture{style.format, {}, Painted(style.field, style.format)};
  texture.levels.push_back(std::move(level));
  while (std::min(texture.levels.back().width_px, texture.levels.back().height_px) > 1) {
    texture.levels.push_back(Halved(texture.levels.back(), NumChannels(style), texture.field));
  }
  return texture;
}

}  // namespace lapforge::tracks
