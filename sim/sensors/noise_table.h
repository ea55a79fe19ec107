// Normal numbers made once and read from random places: drawing them anew for each beam or pixel
// would cost more than the sensor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/rng.h"

namespace lapforge::sim {

class NoiseTable {
 public:
  // The same numbers in every run.
  NoiseTable();

  // `count` standard normal numbers in a row from a place that `word` chooses; count at most
  // kMaxCount.
  std::span<const float> Take(uint32_t word, size_t count) const {
    return std::span<const float>(numbers_).subspan(word % kNumPlaces, count);
  }

  static constexpr size_t kMaxCount = 4096;

 private:
  static constexpr size_t kNumPlaces = 1 << 15;
  std::vector<float> numbers_;
};

}  // namespace lapforge::sim
