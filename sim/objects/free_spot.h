// Where on the road a car can be put without standing in something.
#pragma once

#include "sim/car.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

// A place on the road, of a car's front point.
struct RoadSpot {
  double arc_length_m = 0;
  double lateral_offset_m = 0;
};

// The middle of a lane: halfway between the centerline and a border.
double LaneOffset(const tracks::Track& driven, double arc_length_m, bool is_left);

// The spot nearest to `wanted` where `car` has room between `facts.objects`: there, on the other
// lane (always where an object is within a metre along the road: spec/deepracer.md 4.6), or further
// back; on an open track further on. `wanted` itself where the whole road is full.
RoadSpot FreeSpot(const tracks::Track& driven, const StepFacts& facts, const CarSpec& car,
                  RoadSpot wanted);

}  // namespace lapforge::sim
