// The painted ground that cameras look at: field, road, borders, dashed centerline, start line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "sim/base/math.h"
#include "sim/base/result.h"
#include "tracks/track.h"

namespace lapforge::tracks {

struct Rgb {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;
};

enum class TextureFormat { kGray, kRgb };

// What is painted, and how finely. The colours are those of DeepRacer's printed tracks.
struct GroundStyle {
  TextureFormat format = TextureFormat::kRgb;
  double texel_m = 0.005;        // 0.001 .. 0.1: the side of a texel of the finest level
  double margin_m = 2;           // 0 .. 20: field around the road's bounding box
  double border_width_m = 0.05;  // 0 (none) .. 0.3: white line, its outer edge on the border
  double center_width_m = 0.03;  // 0 (none) .. 0.3
  double dash_length_m = 0.15;   // 0.02 .. 10: of the centerline's dashes; the gaps are as long
  double start_width_m = 0.05;   // 0 (none) .. 0.3: across the road, along the driving direction
  Rgb field{73, 109, 74};
  Rgb road{62, 62, 66};
  Rgb border{250, 250, 250};
  Rgb center{242, 183, 49};
  Rgb start{250, 250, 250};
};

// One level of a mip chain: each texel is the mean of 2 x 2 of the level before, rounded to
// nearest; what lies beyond the edges counts as field.
struct TextureLevel {
  int width_px = 0;
  int height_px = 0;
  double texel_m = 0;
  Vec2 origin_m;  // the outer corner of texel (0, 0): the south-west end of the ground
  std::vector<uint8_t> texels;  // [height_px][width_px][1 or 3], row 0 southernmost; red first
};

// The ground of one track. Beyond its edges there is only field.
struct GroundTexture {
  TextureFormat format = TextureFormat::kRgb;
  std::vector<TextureLevel> levels;  // finest first, down to one texel on the shorter side
  Rgb field;                         // what to show beyond the edges; gray: three equal numbers
};

// Paints the ground of a track, antialiased (16 samples a texel), with its mip levels; the same for
// both driving directions of a track. Memory: 4/3 of width * height / texel^2 bytes a channel, and
// a strip of samples while it paints, 0.2 MB for each metre of width at 5 mm; some 60 MB and 0.2 s
// for a 60 m track in color. Refuses a style out of range, and a texture above 1 GiB or 65,536
// texels a side, naming the texel size that would fit.
Result<GroundTexture> PaintGround(const Track& track, const GroundStyle& style);

// Writes one level to a PNG file (atomically), north up. Errors name the file.
Result<void> SaveTexturePng(const GroundTexture& texture, int level,
                            const std::filesystem::path& path);

}  // namespace lapforge::tracks
