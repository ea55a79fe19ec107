// The built-in driver as commands name it: by the line that it follows.
#pragma once

#include <memory>
#include <string>

#include "sim/base/result.h"
#include "sim/pure_pursuit.h"
#include "sim/vector_sim.h"
#include "tools/cli/sim/drive.h"

namespace lapforge::cli {

inline constexpr const char* kCenterline = "centerline";
inline constexpr const char* kRaceline = "raceline";

// Whether it names a line: one of these two, or a .csv file of track raceline.
bool NamesLine(const std::string& name);

// Drives the car of one env of `sim`, which it borrows, along a line; at its own speeds. The best
// line is that of the car.
Result<std::unique_ptr<CarDriver>> MakeLineDriver(const std::string& line,
                                                  const sim::PursuitOptions& options, int env_index,
                                                  const sim::VectorSim& sim);

}  // namespace lapforge::cli
