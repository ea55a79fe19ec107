// One pixel at a time, in plain C++: the reference, and what a GPU thread does.
#pragma once

#include <cstdint>

#ifndef LAPFORGE_DEVICE
#define LAPFORGE_DEVICE
#endif

namespace lapforge::sim {
namespace {

struct ScalarLanes {
  using F = float;
  using I = int32_t;
  using M = bool;
  static constexpr int kCount = 1;

  LAPFORGE_DEVICE static F Float(float value) { return value; }
  LAPFORGE_DEVICE static I Int(int value) { return value; }
  LAPFORGE_DEVICE static F Load(const float* from) { return *from; }
  LAPFORGE_DEVICE static M Less(F a, F b) { return a < b; }
  LAPFORGE_DEVICE static bool Any(M mask) { return mask; }
  LAPFORGE_DEVICE static bool All(M mask) { return mask; }
  template <class T>
  LAPFORGE_DEVICE static T Select(M mask, T yes, T no) {
    return mask ? yes : no;
  }
  LAPFORGE_DEVICE static I Truncate(F value) { return static_cast<I>(value); }
  LAPFORGE_DEVICE static F Min(F a, F b) { return a < b ? a : b; }
  LAPFORGE_DEVICE static F Max(F a, F b) { return a < b ? b : a; }
  // Two numbers from `base[index]` on, the first in the low half.
  LAPFORGE_DEVICE static I Gather(const uint16_t* base, I index) {
    const uint16_t* const at = base + index;
    return static_cast<I>(at[0] | static_cast<uint32_t>(at[1]) << 16);
  }
  // In each half: the products of its low bytes and of its high bytes, added. Bytes of `a` are
  // unsigned, of `b` signed; sums must fit.
  LAPFORGE_DEVICE static I MulBytes(I a, I b) {
    const auto product = [&](int shift) {
      return ((a >> shift) & 0xFF) * static_cast<int8_t>(b >> shift);
    };
    const I low = product(0) + product(8);
    const I high = product(16) + product(24);
    return static_cast<I>((low & 0xFFFF) | static_cast<uint32_t>(high) << 16);
  }
  // The products of the low halves and of the high halves, added; halves are signed.
  LAPFORGE_DEVICE static I MulPairs(I a, I b) {
    return static_cast<int16_t>(a) * static_cast<int16_t>(b) + (a >> 16) * (b >> 16);
  }
  LAPFORGE_DEVICE static I LoadBytes(const uint8_t* from) { return *from; }
  LAPFORGE_DEVICE static void StoreBytes(uint8_t* to, I values) {
    *to = static_cast<uint8_t>(values);
  }
};

}  // namespace
}  // namespace lapforge::sim
