// Sensors of the car's own motion: inertial unit and wheel speeds.
#pragma once

#include <span>

#include "sim/base/rng.h"
#include "sim/episode/variation.h"
#include "sim/sensors.h"
#include "sim/step_facts.h"

namespace lapforge::sim {

// What an inertial unit needs beside the present state.
struct MotionBefore {
  Vec3 velocity_world_mps;  // one control step ago
  double step_s = 0;        // length of a control step
};

// World velocity of the centre of mass.
Vec3 WorldVelocity(const CarState& car);

// Writes 6 numbers, ImuOptions says which; draws 6 normals from `random` where there is noise.
void WriteImu(const ImuOptions& options, const CarState& car, const MotionBefore& before,
              const EpisodeVariation& variation, RngStream& random, std::span<float> numbers);

// Writes 4 numbers, WheelSpeedOptions says which.
void WriteWheelSpeeds(const WheelSpeedOptions& options, double wheel_radius_m, const CarState& car,
                      const EpisodeVariation& variation, RngStream& random,
                      std::span<float> numbers);

}  // namespace lapforge::sim
