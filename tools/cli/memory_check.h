// Whether there is memory enough, said before it is allocated.
#pragma once

#include <span>

#include "agents/learner.h"
#include "sim/base/result.h"

namespace lapforge::cli {

// An error that names the options to lower where the parts are more than there is; a warning where
// they are nearly as much.
Result<void> CheckMemory(std::span<const agents::MemoryPart> parts);

}  // namespace lapforge::cli
