// The track-state sensor: what a privileged observer knows of the car and the road ahead.
#pragma once

#include <span>
#include <vector>

#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

class TrackStateSensor {
 public:
  // Distances along the track, metres, growing.
  explicit TrackStateSensor(std::vector<double> look_ahead_m);

  int size() const { return kNumCarNumbers + 2 * static_cast<int>(look_ahead_m_.size()); }

  // Writes `size()` numbers with the fixed scalings of spec/learning.md section 2. Positions are
  // those of the front point; points ahead are in its frame. `facts` must be measured on `track`;
  // `action` is the one just taken, in [-1, 1].
  void Write(const tracks::Track& track, const StepFacts& facts, std::span<float> numbers) const;

 private:
  static constexpr int kNumCarNumbers = 9;

  std::vector<double> look_ahead_m_;
  std::vector<double> inverse_scale_1pm_;  // 1 / (distance + 0.3)
};

}  // namespace lapforge::sim
