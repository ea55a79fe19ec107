// A check on drives that are there already.
#pragma once

#include <string>
#include <vector>

#include "reward/check/drives.h"
#include "reward/reward_check.h"

namespace lapforge::reward {

/// As CheckReward, on drives of MakeDrives.
Result<RewardCheckReport> CheckOnDrives(const std::string& python_file,
                                        const std::vector<Drive>& drives, double discount);

}  // namespace lapforge::reward
