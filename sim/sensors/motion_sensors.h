// Sensors of the car's own motion: inertial unit and wheel speeds.
#pragma once

#include <span>

#include "sim/base/rng.h"
#include "sim/episode/variation.h"
#include "sim/sensors.h"
#include "sim/step_facts.h"

namespace lapforge::sim {

// What an inertial unit needs beside the present state.
struct LastMotion {
  Vec3 velocity_change_mps;  // in the world, in the last control step
  double step_s = 0;         // its length
};

// Writes 6 numbers, ImuOptions says which; draws 6 normals from `random` where there is noise.
void WriteImu(const ImuOptions& options, const CarState& car, const LastMotion& last,
              const EpisodeVariation& variation, RngStream& random, std::span<float> numbers);

// Writes 4 numbers, WheelSpeedOptions says which.
void WriteWheelSpeeds(const WheelSpeedOptions& options, double wheel_radius_m, const CarState& car,
                      const EpisodeVariation& variation, RngStream& random,
                      std::span<float> numbers);

}  // namespace lapforge::sim
