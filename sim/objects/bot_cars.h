// Bot cars: they follow a lane at one speed and may change it; nothing stops them.
#pragma once

#include <span>

#include "sim/physics/car_world.h"
#include "sim/sim_options.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

// Everything that a bot car goes on from. No padding: part of a saved state.
struct BotState {
  int32_t segment_index = 0;  // of the centerline, in the episode's direction
  int32_t num_waits = 0;      // drawn so far
  double segment_frac = 0;    // driven of the segment
  double lane = 0;            // now: 1 the file's inner one, -1 the outer one, between the two
  double old_lane = 0;        // of the change that is on, or was on last
  double new_lane = 0;
  double change_m = 0;  // driven since that change began
  double wait_s = 0;    // until the next
  BoxMotion motion;     // of its middle
};

// The road and the episode that bots drive in. Borrows everything.
struct BotRoad {
  const SimOptions& options;
  const tracks::Track& driven;
  uint32_t env_index = 0;  // with the episode it numbers the draws
  uint32_t episode_index = 0;
};

// The place of a lane beside a place of the centerline. Lanes are lines between the points halfway
// from each waypoint's centre to its borders.
Vec2 LanePointAt(const tracks::Track& driven, int segment_index, double segment_frac, double lane);

// Puts the bots of an episode where ChoosePlaces says. `forward` is the road in its file's
// direction, `episode` says which env and episode.
void PlaceBots(const BotRoad& road, const tracks::Track& forward, const StepFacts& episode,
               std::span<BotState> bots);

// Moves all bots by one substep: each gets speed times time further, also while it changes lanes
// (to 1 or 2 % in a substep over a corner of the lane). It changes only where no other bot is near.
void AdvanceBots(const BotRoad& road, double substep_s, std::span<BotState> bots);

// What the facts say of a bot of the size of `car`.
ObjectFacts DescribeBot(const tracks::Track& driven, const BotState& bot, const CarSpec& car,
                        double height_m);

}  // namespace lapforge::sim
