// The two kinds of numbers in which nets are computed on the CPU.
#pragma once

#include <bit>
#include <cstdint>

namespace lapforge::agents {

// The upper half of a float.
struct BFloat16 {
  uint16_t bits = 0;
};

inline float FloatFrom(float value) { return value; }
inline float FloatFrom(BFloat16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

template <class T>
T NumberFrom(float value);
template <>
inline float NumberFrom<float>(float value) {
  return value;
}
// To the nearest, ties to even; what is no number stays none.
template <>
inline BFloat16 NumberFrom<BFloat16>(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return {static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded)};
}

}  // namespace lapforge::agents
