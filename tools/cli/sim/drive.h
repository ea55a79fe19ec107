// A drive of one car by the built-in driver, lap by lap.
#pragma once

#include <vector>

#include "sim/pure_pursuit.h"
#include "sim/recording.h"
#include "sim/step_facts.h"
#include "sim/vector_sim.h"
#include "tracks/track_picture.h"

namespace lapforge::cli {

struct DriveReport {
  std::vector<sim::LapResult> laps;            // completed ones
  sim::EndReason end = sim::EndReason::kNone;  // of the last episode
  double last_progress_pct = 0;
  tracks::DrivenLine line;  // of the centre of mass, coloured by speed
  sim::Recording recording;

  int num_clean() const;
  // The fastest clean lap, or null.
  const sim::LapResult* best() const;
};

// Drives the one env of `sim` until it has `num_laps` laps or an episode ends without one.
DriveReport DriveUntil(int num_laps, const sim::PurePursuit& driver, sim::VectorSim& sim);

}  // namespace lapforge::cli
