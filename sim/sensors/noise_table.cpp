#include "sim/sensors/noise_table.h"

namespace lapforge::sim {

NoiseTable::NoiseTable() : numbers_(kNumPlaces + kMaxCount) {
  RngStream random(0, 0, 0, RngPurpose::kSensorNoise);
  for (float& number : numbers_) number = static_cast<float>(random.Normal());
}

}  // namespace lapforge::sim
