// The measure phase: the car's state and its place on the track, from the bits of the physics.
#pragma once

#include "sim/car/actuators.h"
#include "sim/physics/car_world.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

// False when a number of the body is not finite or absurdly large: the env has met a fault.
bool IsHealthy(const BodyState& body);

// Of the centre of mass, in the world.
Vec3 VelocityOf(const BodyState& body);

// Fills `facts.car`, the front point and the wheels of a car of this model.
void MeasureCar(const VehicleModel& model, const BodyState& body, const ActuatorState& actuators,
                StepFacts& facts);

// Fills what `facts` says about the track, for the front point and wheels there. `position` is the
// front point's; `previous_progress_pct` is what the progress formula goes on from; so many wheels
// outside are off track.
void MeasureTrack(const tracks::Track& track, const tracks::TrackPosition& position,
                  double previous_progress_pct, int off_track_wheels, StepFacts& facts);

}  // namespace lapforge::sim
