// A drive of the cars of one world, each by its own driver, lap by lap.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/recording.h"
#include "sim/step_facts.h"
#include "sim/vector_sim.h"
#include "tracks/track_picture.h"

namespace lapforge::cli {

// Who drives one car of a simulator.
class CarDriver {
 public:
  virtual ~CarDriver() = default;
  // Decides from how things are now; `action` is the car's row of VectorSim::Step.
  virtual void Decide(std::span<float> action) = 0;
};
using Drivers = std::vector<std::unique_ptr<CarDriver>>;

// What one car did until it had its laps or its episode ended without one.
struct CarDrive {
  std::vector<sim::LapResult> laps;            // completed ones
  sim::EndReason end = sim::EndReason::kNone;  // kNone while it drives
  double last_progress_pct = 0;
  int num_off_tracks = 0;     // how often all four wheels were off
  std::vector<int> num_hits;  // [num_cars] how often it ran into each other car
  tracks::DrivenLine line;    // of the centre of mass, coloured by speed

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

// Drives the cars of `sim`, each with its own driver, until each has `num_laps` laps or an episode
// of it ended without one. Whoever is done stays on the road, and is no longer looked at.
DriveReport DriveUntil(int num_laps, const Drivers& drivers, sim::VectorSim& sim);

}  // namespace lapforge::cli
