// Who takes part in a race: from names on the command line to drivers in their cars.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/car.h"
#include "sim/pure_pursuit.h"
#include "sim/vector_sim.h"
#include "tools/cli/candidate.h"
#include "tools/cli/sim/drive.h"

namespace lapforge::cli {

struct Racer {
  std::string name;                 // as it was typed
  std::optional<Candidate> policy;  // none: the built-in driver on the line of that name
  sim::PursuitOptions pursuit;      // of the built-in driver
  sim::CarSpec car;
};

// Folders of runs, policy files and lines. Built-in drivers take `speeds_mps` by turns; `car`,
// where it is not empty, is everyone's. Errors: fewer than two or more than fit on one road, more
// speeds than built-in drivers, and policies that do not decide equally often.
Result<std::vector<Racer>> OpenRacers(const std::vector<std::string>& names,
                                      const std::vector<double>& speeds_mps,
                                      const std::string& car);

// A world for all of them: one car each, commands as far as anyone's actions go, and the first
// policy's timing. Every car is as high as if it carried each lidar and camera there is, so that
// nobody looks over another.
sim::SimOptions WorldFor(const std::vector<Racer>& racers);

// In the order of the cars of `sim`, which they borrow.
Result<Drivers> SeatRacers(const std::vector<Racer>& racers, const sim::VectorSim& sim);

}  // namespace lapforge::cli
