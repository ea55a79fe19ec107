// The objects-ahead sensor: what a privileged observer knows of boxes and cars before it.
#pragma once

#include <span>

#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

class ObjectsAheadSensor {
 public:
  // Numbers of each object: 1; its middle in the frame of the front point, forward and left, scaled
  // as the track-state sensor scales a point so far along the track; its lateral offset over the
  // half width on its side; the way d to it along the track as d / (1 m + |d|); its speed / 2 m/s.
  static constexpr int kNumNumbers = 6;

  // `count` objects; one counts as ahead until its middle is `passed_m` behind the front point.
  ObjectsAheadSensor(int count, double passed_m) : count_(count), passed_m_(passed_m) {}

  int size() const { return count_ * kNumNumbers; }

  // Writes `size()` numbers, the nearest object along the track first, zeros where there are no
  // more. `facts` must be measured on `track`. On a closed track all objects are ahead.
  void Write(const tracks::Track& track, const StepFacts& facts, std::span<float> numbers) const;

 private:
  int count_;
  double passed_m_;
};

}  // namespace lapforge::sim
