// --set of the commands that take simulator options.
#pragma once

#include <string>
#include <vector>

#include "sim/base/option_fields.h"
#include "sim/base/strings.h"
#include "sim/sim_options.h"

namespace lapforge::cli {

// "key=value" each, over options; a message names the argument. `example` is one for this command.
inline Result<void> ApplyAssignments(const std::vector<std::string>& assignments,
                                     const char* example, sim::SimOptions& options) {
  const std::string car = options.car;
  for (const std::string& assignment : assignments) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      return ErrorOf("--set ", assignment, ": expected key=value, as in ", example);
    }
    const Result<void> set =
        SetOption(options, assignment.substr(0, equals), assignment.substr(equals + 1));
    if (!set.ok()) return ErrorOf("--set ", assignment, ": ", set.error().message);
  }
  if (options.car != car) return ErrorOf("--set car: use --car");
  return {};
}

}  // namespace lapforge::cli
