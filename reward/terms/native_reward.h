// The native reward with its lines loaded.
#pragma once

#include <memory>
#include <vector>

#include "reward/reward_function.h"
#include "reward/terms/line_offsets.h"

namespace lapforge::reward {

/// `lines` are those of VectorSim::tracks(), in their order; not needed where options.raceline is
/// 0.
std::unique_ptr<RewardFunction> MakeNativeReward(const NativeRewardOptions& options,
                                                 std::vector<LineOffsets> lines);

}  // namespace lapforge::reward
