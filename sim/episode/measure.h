// Measuring: from the physics of one car to the facts everything else reads.
#pragma once

#include "sim/car/actuators.h"
#include "sim/physics/car_world.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

// False where any number of the body is NaN or infinite.
bool IsFinite(const BodyState& body);

// Ground truth in the units people use.
CarState CarStateFrom(const CarSpec& spec, const BodyState& body, const ActuatorState& actuators);

// Fills the measured part of `facts` but for progress and laps, which need the past.
// `segment_hint`: where the front point was a moment ago.
void MeasurePlace(const CarSpec& spec, const tracks::Track& track, const CarState& car,
                  int segment_hint, StepFacts& facts);

}  // namespace lapforge::sim
