// The levels of a texture: averaging samples to texels, and texels to the next level.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tracks/ground_texture.h"
#include "tracks/raster/patches.h"

namespace lapforge::tracks {

// Samples on a side of a texel: 17 shades between two colours.
inline constexpr int kSamplesPerTexel = 4;

using Palette = std::array<Rgb, kNumPaints>;

// Fills a row of texels with the mean colours of its samples. `samples` is the first of
// kSamplesPerTexel rows of `stride` paints, kSamplesPerTexel for each texel.
void AverageSamples(const uint8_t* samples, const Palette& palette, int num_channels,
                    std::span<uint8_t> texels);

// The next coarser level. Where a side is odd, the missing texels are field.
TextureLevel Halved(const TextureLevel& level, int num_channels, Rgb field);

}  // namespace lapforge::tracks
