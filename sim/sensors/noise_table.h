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

  // All standard normal numbers, and where in them a row of up to kMaxCount begins that `word`
  // chooses.
  std::span<const float> numbers() const { return numbers_; }
  static uint32_t PlaceOf(uint32_t word) { return word % kNumPlaces; }

  static constexpr size_t kMaxCount = 4096;

 private:
  static constexpr uint32_t kNumPlaces = 1 << 15;
  std::vector<float> numbers_;
};

}  // namespace lapforge::sim
