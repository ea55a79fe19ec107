// Boxes on the road: where they stand in an episode, and what the facts say of them.
#pragma once

#include <span>

#include "sim/sim_options.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

// Fills `facts.objects` with the boxes of episode `facts.episode_index` of env `facts.env_index`.
// `forward` and `driven` are the track in the direction of its file and of the episode. Random
// boxes keep their distance, or an equal share of a track that is too short for it.
void PlaceBoxes(const SimOptions& options, const tracks::Track& forward,
                const tracks::Track& driven, StepFacts& facts);

// Lateral offset for a start at `arc_length_m`: `wanted_m`, or the middle of the other lane where a
// box stands within a metre (spec/deepracer.md 4.6).
double OffsetBesideBoxes(const tracks::Track& driven, const StepFacts& facts, double arc_length_m,
                         double wanted_m);

// Fills the neighbours along the track, `is_next_object_in_camera` and `is_crashed`, for the car
// and the front point there.
void MeasureBoxes(const ObjectOptions& options, const CarSpec& car, StepFacts& facts);

}  // namespace lapforge::sim
