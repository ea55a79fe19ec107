// What a process that runs a user's file may take.
#pragma once

#include <cstdint>

namespace lapforge::reward {

/// From now on this process may allocate so much more (0: anything), and leaves no core behind when
/// it crashes.
void LimitMemory(int64_t limit_bytes);

}  // namespace lapforge::reward
