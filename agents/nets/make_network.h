// From options to a net for given observation rows.
#pragma once

#include <memory>

#include "agents/nets/network.h"
#include "agents/train_options.h"
#include "sim/base/result.h"
#include "sim/sensors.h"

namespace lapforge::agents {

// The net of options.kind over these rows. Errors: a kind that cannot take what the rows hold.
Result<std::unique_ptr<Network>> MakeNetwork(const NetOptions& options,
                                             const sim::ObservationSpec& row, int num_outputs);

// The same but for how it computes: as a policy's file will drive, and evaluations do.
NetOptions AsPoliciesDrive(NetOptions options);

}  // namespace lapforge::agents
