// Where objects begin in an episode, and the boxes that stand there.
#pragma once

#include <array>

#include "sim/base/result.h"
#include "sim/sim_options.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

// Along the forward direction from the start line; lane 1 is the file's inner one.
struct ObjectPlace {
  double distance_m = 0;
  double lane = 1;
};
using ObjectPlaces = std::array<ObjectPlace, kMaxObjects>;

// An error where objects.count and objects.min_distance_m ask for more than the track is long.
Result<void> CheckRoom(const ObjectOptions& options, const tracks::Track& track);

// The first `options.objects.count` places on a lap of `length_m`, for episode
// `facts.episode_index` of env `facts.env_index`. There is room: see CheckRoom.
ObjectPlaces ChoosePlaces(const SimOptions& options, double length_m, const StepFacts& facts);

// Fills `facts.objects` with the boxes of the episode. `forward` and `driven` are the track in the
// direction of its file and of the episode.
void PlaceBoxes(const SimOptions& options, const tracks::Track& forward,
                const tracks::Track& driven, StepFacts& facts);

}  // namespace lapforge::sim
