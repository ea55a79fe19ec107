// Drives that show a reward function what cars do: good laps, bad laps, and none.
#pragma once

#include <string>
#include <vector>

#include "reward/reward_check.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::reward {

enum class DriveKind {
  kSlowLap,
  kFastLap,
  kWeavingLap,
  kLeftEdgeLap,
  kRightEdgeLap,
  kReversedLap,
  kOffTrack,
  kStanding,
  kRandom,
};

struct Drive {
  DriveKind kind = DriveKind::kSlowLap;
  std::string name;
  std::vector<sim::StepFacts> facts;  // every step; env_index is the drive's number
  std::vector<tracks::Track> views;   // VectorSim::tracks() of its simulator
};

// All kinds in their order. A lap that the driver cannot keep on the road ends where it left it.
// Errors: a car or facts that the simulator refuses.
Result<std::vector<Drive>> MakeDrives(const RewardCheckOptions& options);

}  // namespace lapforge::reward
