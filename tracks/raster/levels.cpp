#include "tracks/raster/levels.h"

#include <cstring>

namespace lapforge::tracks {
namespace {

constexpr int kSamples = kSamplesPerTexel * kSamplesPerTexel;

// A colour as three numbers of 16 bits that are summed at once; 16 samples do not overflow.
using PackedRgb = uint64_t;

PackedRgb Pack(Rgb color) {
  return color.red | PackedRgb{color.green} << 16 | PackedRgb{color.blue} << 32;
}

template <int kChannels>
void Store(PackedRgb sum, uint8_t* texel) {
  for (int channel = 0; channel < kChannels; ++channel) {
    const auto channel_sum = static_cast<uint16_t>(sum >> (16 * channel));
    texel[channel] = static_cast<uint8_t>((channel_sum + kSamples / 2) / kSamples);
  }
}

template <int kChannels>
void Average(const uint8_t* samples, const std::array<PackedRgb, kNumPaints>& palette,
             std::span<uint8_t> texels) {
  static_assert(kSamplesPerTexel == sizeof(uint32_t));
  const size_t stride = texels.size() / kChannels * kSamplesPerTexel;
  for (size_t i = 0; i < texels.size(); i += kChannels, samples += kSamplesPerTexel) {
    uint32_t rows[kSamplesPerTexel];
    for (int k = 0; k < kSamplesPerTexel; ++k) std::memcpy(&rows[k], samples + k * stride, 4);

    // most texels show one paint only
    const bool is_plain = rows[0] == samples[0] * 0x01010101u && rows[1] == rows[0] &&
                          rows[2] == rows[0] && rows[3] == rows[0];
    PackedRgb sum = 0;
    if (is_plain) {
      sum = kSamples * palette[samples[0]];
    } else {
      for (const uint32_t row : rows) {
        for (int bit = 0; bit < 32; bit += 8) sum += palette[row >> bit & 0xff];
      }
    }
    Store<kChannels>(sum, &texels[i]);
  }
}

template <int kChannels>
void HalveRow(const uint8_t* row, const uint8_t* next_row, std::span<uint8_t> texels) {
  for (size_t i = 0; i < texels.size(); i += kChannels) {
    for (size_t at = 2 * i; at < 2 * i + kChannels; ++at) {
      const int sum = row[at] + row[at + kChannels] + next_row[at] + next_row[at + kChannels];
      texels[at - i] = static_cast<uint8_t>((sum + 2) / 4);
    }
  }
}

}  // namespace

void AverageSamples(const uint8_t* samples, const Palette& palette, int num_channels,
                    std::span<uint8_t> texels) {
  std::array<PackedRgb, kNumPaints> packed;
  for (int i = 0; i < kNumPaints; ++i) packed[i] = Pack(palette[i]);
  const auto average = num_channels == 1 ? Average<1> : Average<3>;
  average(samples, packed, texels);
}

TextureLevel Halved(const TextureLevel& level, int num_channels, Rgb field) {
  TextureLevel half;
  half.width_px = (level.width_px + 1) / 2;
  half.height_px = (level.height_px + 1) / 2;
  half.texel_m = 2 * level.texel_m;
  half.origin_m = level.origin_m;
  const size_t row_bytes = static_cast<size_t>(level.width_px) * num_channels;
  const size_t half_row_bytes = static_cast<size_t>(half.width_px) * num_channels;
  half.texels.resize(half_row_bytes * half.height_px);

  // two rows with a texel of field behind them where the width is odd
  std::vector<uint8_t> field_row(2 * half_row_bytes);
  const uint8_t channels[] = {field.red, field.green, field.blue};
  for (size_t i = 0; i < field_row.size(); ++i) field_row[i] = channels[i % num_channels];
  std::array<std::vector<uint8_t>, 2> rows = {field_row, field_row};

  const auto halve_row = num_channels == 1 ? HalveRow<1> : HalveRow<3>;
  for (int y = 0; y < half.height_px; ++y) {
    for (int k = 0; k < 2; ++k) {
      const bool is_there = 2 * y + k < level.height_px;
      const uint8_t* source = is_there ? &level.texels[(2 * y + k) * row_bytes] : field_row.data();
      std::memcpy(rows[k].data(), source, row_bytes);
    }
    halve_row(rows[0].data(), rows[1].data(),
              std::span(half.texels).subspan(y * half_row_bytes, half_row_bytes));
  }
  return half;
}

}  // namespace lapforge::tracks
