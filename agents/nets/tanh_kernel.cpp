#include "agents/nets/tanh_kernel.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lapforge::agents {
namespace {

// e^x for x in [0, 20]: x = n ln 2 + r, |r| <= ln 2 / 2, and a Taylor polynomial of e^r whose first
// left-out term is below 2e-7. NaN gives NaN.
inline float ExpOfNonNegative(float x) {
  constexpr float kLog2E = 1.44269504f;
  constexpr float kLn2High = 0.693359375f;    // few bits: n times it is exact
  constexpr float kLn2Low = -2.12194440e-4f;  // the rest of ln 2

  // added to this number a float has no room for fractions: rounding, with n in the lowest bits
  constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23
  const float shifted = x * kLog2E + kRounder;
  const float n = shifted - kRounder;
  const float power_of_two = std::bit_cast<float>((std::bit_cast<uint32_t>(shifted) + 127) << 23);

  const float r = (x - n * kLn2High) - n * kLn2Low;
  float sum = 1.0f / 720;
  sum = sum * r + 1.0f / 120;
  sum = sum * r + 1.0f / 24;
  sum = sum * r + 1.0f / 6;
  sum = sum * r + 0.5f;
  sum = sum * r + 1.0f;
  sum = sum * r + 1.0f;
  return sum * power_of_two;
}

// tanh |x| = 1 - 2 / (e^(2|x|) + 1); beyond 9.02 it is 1 in float.
inline float TanhOf(float x) {
  constexpr uint32_t kSignBit = 0x80000000u;
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const float magnitude = std::bit_cast<float>(bits & ~kSignBit);
  const float clipped = magnitude > 9.1f ? 9.1f : magnitude;  // NaN stays NaN
  const float result = 1.0f - 2.0f / (ExpOfNonNegative(2.0f * clipped) + 1.0f);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(result) | (bits & kSignBit));
}

}  // namespace

// One source, three compilations, chosen at load time. No fused multiply-add (-ffp-contract=off),
// so that all give the same bits.
__attribute__((target_clones("default", "avx2", "avx512f"))) void TanhInPlace(
    std::span<float> values) {
  float* const data = values.data();
  const size_t count = values.size();
  for (size_t i = 0; i < count; ++i) data[i] = TanhOf(data[i]);
}

void TanhInPlace(std::span<double> values) {
  for (double& value : values) value = std::tanh(value);
}

}  // namespace lapforge::agents
