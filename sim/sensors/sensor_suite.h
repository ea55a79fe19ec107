// All sensors of a simulator: the observe phase writes one env's row through here.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/car.h"
#include "sim/episode/env.h"
#include "sim/sensors.h"
#include "sim/sensors/device_eyes.h"
#include "sim/sim_options.h"
#include "tracks/track.h"

namespace lapforge::sim {

// Immutable after construction and shared by all threads.
class SensorSuite {
 public:
  // Env i carries the sensors on cars[i % cars.size()]. `views` as in VectorSim::tracks(),
  // borrowed; options are valid. Painting the ground for cameras may fail for lack of memory.
  static Result<std::unique_ptr<SensorSuite>> Create(const SimOptions& options,
                                                     std::span<const CarSpec> cars,
                                                     std::span<const tracks::Track> views);
  ~SensorSuite();

  const ObservationSpec& spec() const { return spec_; }

  // Writes every byte of the spec's sensors, from what was measured last. Does not allocate.
  // With `frames` cameras and lidars write what they show there, into the env's place, instead.
  void Write(const EnvState& state, std::span<std::byte> row, EyeFrames* frames = nullptr) const;

  // For a device that draws. Errors: several car models, a lidar with drop-outs.
  Result<EyeScenes> Scenes() const;

 private:
  struct Parts;
  SensorSuite(ObservationSpec spec, std::unique_ptr<const Parts> parts);

  ObservationSpec spec_;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace lapforge::sim
