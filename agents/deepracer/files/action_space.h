// `action_space` of model_metadata.json (spec/deepracer.md 2.1).
#pragma once

#include "agents/deepracer/files/json_object.h"
#include "sim/base/result.h"

namespace lapforge::agents {

// Adds the file's actions: a list of them, or ranges. `action_space_type`, where there is one, is
// text and known.
Result<void> ReadActionSpace(KeyCollector& keys);

}  // namespace lapforge::agents
