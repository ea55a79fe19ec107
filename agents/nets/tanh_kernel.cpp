#include "agents/nets/tanh_kernel.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lapforge::agents {
namespace {

// e^x for x in [0, 20]: x = n ln 2 + r, |r| <= ln 2 / 2, and a Taylor polynomial of e^r whose first
// left-out term is below 3e-8.
inline float ExpOfNonNegative(float x) {
  constexpr float kLog2E = 1.44269504f;
  constexpr float kLn2High = 0.693359375f;    // few bits: n times it is exact
  constexpr float kLn2Low = -2.12194440e-4f;  // the rest of ln 2
  const int32_t n = static_cast<int32_t>(x * kLog2E + 0.5f);
  const float r = (x - static_cast<float>(n) * kLn2High) - static_cast<float>(n) * kLn2Low;
  float sum = 1.0f / 720;
  sum = sum * r + 1.0f / 120;
  sum = sum * r + 1.0f / 24;
  sum = sum * r + 1.0f / 6;
  sum = sum * r + 0.5f;
  sum = sum * r + 1.0f;
  sum = sum * r + 1.0f;
  return sum * std::bit_cast<float>((n + 127) << 23);
}

// tanh |x| = 1 - 2 / (e^(2|x|) + 1); beyond 9.02 it is 1 in float.
inline float TanhOf(float x) {
  const float magnitude = std::fabs(x);
  const float clipped = magnitude < 9.1f ? magnitude : 9.1f;
  const float result = 1.0f - 2.0f / (ExpOfNonNegative(2.0f * clipped) + 1.0f);
  return magnitude == magnitude ? std::copysign(result, x) : x;  // NaN stays NaN
}

}  // namespace

// One source, three compilations, chosen at load time. No fused multiply-add (-ffp-contract=off),
// so that all give the same bits.
__attribute__((target_clones("default", "avx2", "avx512f"), optimize("O3"))) void TanhInPlace(
    std::span<float> values) {
  float* const data = values.data();
  const size_t count = values.size();
  for (size_t i = 0; i < count; ++i) data[i] = TanhOf(data[i]);
}

void TanhInPlace(std::span<double> values) {
  for (double& value : values) value = std::tanh(value);
}

}  // namespace lapforge::agents
