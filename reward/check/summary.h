// The figures of one drive.
#pragma once

#include <span>

#include "reward/reward_check.h"

namespace lapforge::reward {

/// Sums, mean and extremes of the steps' rewards; name and lap time are left to the caller.
RewardedDrive SummarizeRewards(std::span<const double> rewards, double discount);

}  // namespace lapforge::reward
