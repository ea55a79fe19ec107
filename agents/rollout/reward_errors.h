// What went wrong in the user's reward function during a run: counted by message.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "reward/reward_function.h"
#include "sim/base/byte_buffer.h"

namespace lapforge::agents {

class RewardErrors {
 public:
  // It ended one episode. The first of each message is logged, unless that was done before.
  void Count(const reward::RewardFailure& failure);

  int64_t total() const { return total_; }
  // In the order of their first errors; those after the first few messages share one entry.
  const std::vector<reward::RewardErrorCount>& counts() const { return counts_; }

  // What was logged is not part of the state: nobody needs a line twice.
  void Save(ByteWriter& writer) const;
  bool Restore(ByteReader& reader);

 private:
  int64_t total_ = 0;
  std::vector<reward::RewardErrorCount> counts_;
  std::set<std::string> logged_;
};

}  // namespace lapforge::agents
