// Clocks of the phases of a step, for benchmarks.
#pragma once

#include <chrono>

#include "sim/vector_sim.h"

namespace lapforge::sim {

// Stands in for the stopwatch in the product's own step, which reads no clock.
struct NoStopwatch {
  void Lap(StepPhase) {}
};

class PhaseStopwatch {
 public:
  using Clock = std::chrono::steady_clock;

  void Start() { last_ = Clock::now(); }
  void Lap(StepPhase phase) {
    const Clock::time_point now = Clock::now();
    times_.ns[static_cast<size_t>(phase)] += std::chrono::nanoseconds(now - last_).count();
    last_ = now;
  }
  const PhaseTimes& times() const { return times_; }

 private:
  Clock::time_point last_;
  PhaseTimes times_;
};

}  // namespace lapforge::sim
