// The values of the extra keys.
#pragma once

#include <span>

#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::reward {

enum class ExtraType { kBool, kInt, kFloat };

struct ExtraKey {
  const char* name;
  ExtraType type;
  const char* unit;
  const char* meaning;
  double (*value)(const sim::StepFacts& facts, const tracks::Track& view);
};

/// In the order of RewardKeys().
std::span<const ExtraKey> ExtraKeys();

}  // namespace lapforge::reward
