// What the figures of an inspection mean: the sentences a coach would say.
#pragma once

#include <vector>

#include "reward/check/drives.h"
#include "reward/check/inspection.h"

namespace lapforge::reward {

// Failures first, then what the source and the drives show. `rewarded` are the drives in order.
std::vector<RewardFinding> Advise(const std::vector<Drive>& drives, const Inspection& inspection,
                                  const std::vector<RewardedDrive>& rewarded, double discount);

}  // namespace lapforge::reward
