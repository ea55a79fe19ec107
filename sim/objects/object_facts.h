// What the facts say of the objects on the road.
#pragma once

#include "sim/car.h"
#include "sim/sim_options.h"
#include "sim/step_facts.h"

namespace lapforge::sim {

// Puts `facts.objects` into the order of their arc lengths.
void SortObjects(StepFacts& facts);

// Fills the neighbours along the track, `is_next_object_in_camera` and `is_crashed`, for the car
// and the front point there.
void MeasureObjects(const ObjectOptions& options, const CarSpec& car, StepFacts& facts);

}  // namespace lapforge::sim
