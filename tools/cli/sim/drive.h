// A drive of the cars of one world by built-in drivers, lap by lap.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/pure_pursuit.h"
#include "sim/recording.h"
#include "sim/step_facts.h"
#include "sim/vector_sim.h"
#include "tracks/track_picture.h"

namespace lapforge::cli {

// What one car did until it had its laps or its episode ended without one.
struct CarDrive {
  std::vector<sim::LapResult> laps;            // completed ones
  sim::EndReason end = sim::EndReason::kNone;  // kNone while it drives
  double last_progress_pct = 0;
  tracks::DrivenLine line;  // of the centre of mass, coloured by speed

  int num_clean() const;
};

struct DriveReport {
  std::vector<CarDrive> cars;             // [num_envs]
  int view = 0;                           // of VectorSim::tracks(): the road that was driven
  std::vector<tracks::PictureBox> boxes;  // and bot cars, as the drive left them
  sim::Recording recording;

  // The fastest clean lap of all cars, or null.
  const sim::LapResult* best() const;
};

using Drivers = std::vector<std::unique_ptr<sim::PurePursuit>>;

// Drives the cars of `sim`, each with its own driver, until each has `num_laps` laps or an episode
// of it ended without one. Whoever is done stays on the road, and is no longer looked at.
DriveReport DriveUntil(int num_laps, const Drivers& drivers, sim::VectorSim& sim);

}  // namespace lapforge::cli
