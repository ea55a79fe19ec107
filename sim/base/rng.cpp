#include "sim/base/rng.h"

#include <cmath>

#include "sim/base/assert.h"
#include "sim/base/math.h"

namespace lapforge {

std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  // multipliers and key increments as published
  constexpr uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  constexpr int kNumRounds = 10;

  for (int round = 0; round < kNumRounds; ++round) {
    const uint64_t product0 = kMultiplier0 * counter[0];
    const uint64_t product1 = kMultiplier1 * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

RngStream::RngStream(uint64_t seed, uint32_t env, uint32_t episode, RngPurpose purpose)
    : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
      stream_{env, episode, static_cast<uint32_t>(purpose) << 24} {}

// The counter is (block, env, episode, purpose and the block's high bits), so no two streams of a
// seed share a counter.
void RngStream::FillBlock() {
  const uint64_t block_index = position_ / 4;
  const auto block_low = static_cast<uint32_t>(block_index);
  const auto block_high = static_cast<uint32_t>(block_index >> 32);
  block_ = Philox4x32({block_low, stream_[0], stream_[1], stream_[2] | block_high}, key_);
  is_block_ready_ = true;
}

double RngStream::Uniform() {
  const uint64_t high = NextU32();
  const uint64_t low = NextU32();
  return static_cast<double>((high << 32 | low) >> 11) * 0x1p-53;
}

double RngStream::Normal() {
  // half a step above zero keeps the logarithm finite and the tail symmetric
  const double radius_draw = (NextU32() + 0.5) * 0x1p-32;
  const double angle_draw = (NextU32() + 0.5) * 0x1p-32;
  return std::sqrt(-2.0 * std::log(radius_draw)) * std::cos(2.0 * kPi * angle_draw);
}

uint32_t RngStream::Below(uint32_t n) {
  LAPFORGE_ASSERT(n > 0, "there is no number below 0");
  // the high word of word * n is uniform once the few low words that would favour some are redrawn
  const uint32_t num_unfair = (0u - n) % n;
  uint64_t product;
  do {
    product = static_cast<uint64_t>(NextU32()) * n;
  } while (static_cast<uint32_t>(product) < num_unfair);
  return static_cast<uint32_t>(product >> 32);
}

void RngStream::Seek(uint64_t position) {
  LAPFORGE_ASSERT(position < (uint64_t{1} << 58), "a stream has 2^58 words");
  position_ = position;
  is_block_ready_ = false;
}

}  // namespace lapforge
