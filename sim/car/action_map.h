// From a policy's numbers to commands.
#pragma once

#include <array>
#include <span>

#include "sim/car/actuators.h"
#include "sim/sim_options.h"

namespace lapforge::sim {

// One action, in every form that facts report.
struct Action {
  CarCommand command;              // unclipped by the car
  std::array<double, 2> scaled{};  // steering, speed in [-1, 1] of the action space
  int index = -1;                  // discrete actions only
};

class ActionMap {
 public:
  explicit ActionMap(const ActionOptions& options);

  // `numbers` as ActionOptions describes. NaN stays NaN (the env then faults); a discrete index out
  // of range is an assertion failure.
  Action FromNumbers(std::span<const float> numbers) const;

  // The other way: the action that comes nearest to a command.
  void ToNumbers(const CarCommand& command, std::span<float> numbers) const;

 private:
  std::array<double, 2> ScaledOf(const CarCommand& command) const;

  CarCommand low_;
  CarCommand high_;
  std::vector<Action> table_;  // discrete actions
};

}  // namespace lapforge::sim
