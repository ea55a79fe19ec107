#include <algorithm>
#include <cmath>

#include "sim/base/rng.h"
#include "sim/episode/episode.h"

namespace lapforge::sim {
namespace {

// Room between the track's first row and the rear wheels on an open track, and from the last start
// to its end.
constexpr double kOpenStartRoomM = 0.1;
constexpr double kOpenEndRoomM = 1.0;
// Cars of one world stand this far apart behind the line (spec/deepracer.md 4.6).
constexpr double kGridStepM = 0.75;
// After running into something a car is put back this much further (spec/deepracer.md 4.5).
constexpr double kCrashResetM = 1.0;

// Arc length `share` of the lap behind the start line.
double PlaceOnTrack(const tracks::Track& track, double share, double car_length_m) {
  const double whole_share = share - std::floor(share);
  if (track.is_closed()) {
    return track.WrapArcLength(track.start_m() + whole_share * track.length_m());
  }
  const double first_m = std::min(car_length_m + kOpenStartRoomM, track.length_m());
  const double last_m = std::max(first_m, track.length_m() - kOpenEndRoomM);
  return Clamp(track.start_m() + first_m + whole_share * (last_m - first_m), first_m, last_m);
}

// One car behind the other, on alternate lanes; on an open track the last one at the place.
RoadSpot GridSpot(const tracks::Track& track, double arc_length_m, int car_index, int num_cars) {
  if (num_cars == 1) return {arc_length_m, 0};
  const double ahead_m = kGridStepM * (track.is_closed() ? -car_index : num_cars - 1 - car_index);
  const double arc_m = track.WrapArcLength(arc_length_m + ahead_m);
  return {arc_m, LaneOffset(track, arc_m, car_index % 2 == 0)};
}

}  // namespace

bool IsReversedEpisode(DirectionMode mode, uint32_t episode_index) {
  switch (mode) {
    case DirectionMode::kForward:
      return false;
    case DirectionMode::kReversed:
      return true;
    case DirectionMode::kAlternate:
      return episode_index % 2 == 1;
  }
  return false;
}

EpisodeStart ChooseStart(const SimOptions& options, const tracks::Track& track, int env_index,
                         uint32_t episode_index, double car_length_m) {
  const EpisodeOptions& episode = options.episode;
  EpisodeStart start;
  double share = episode.start_offset_frac;
  RngStream random(options.seed, static_cast<uint32_t>(env_index), episode_index,
                   RngPurpose::kStartPose);
  const int world_index = env_index / options.cars_per_world;
  switch (episode.start) {
    case StartMode::kLine:
      break;
    case StartMode::kSpread:
      // an open road is driven from its start
      if (track.is_closed()) share += static_cast<double>(world_index) / options.num_worlds();
      break;
    case StartMode::kRoundRobin:
      share += episode.start_advance_frac * episode_index;
      break;
    case StartMode::kAnywhere:
      share += random.Uniform();
      break;
  }
  const double arc_m = PlaceOnTrack(track, share, car_length_m);
  if (episode.start != StartMode::kAnywhere) {
    start.spot = GridSpot(track, arc_m, env_index % options.cars_per_world, options.cars_per_world);
    return start;
  }

  const double side = random.Uniform(-1, 1);
  const tracks::HalfWidths half = track.HalfWidthsAt(arc_m);
  start.spot = {arc_m, side * episode.start_lateral_frac * (side > 0 ? half.left_m : half.right_m)};
  start.heading_error_rad = random.Uniform(-1, 1) * episode.start_heading_rad;
  start.speed_mps = random.Uniform() * episode.start_speed_mps;
  return start;
}

RoadSpot ChooseResetSpot(const tracks::Track& track, const StepFacts& facts) {
  const double last_m = facts.position.arc_length_m - facts.progress_delta_m;
  double back_m = facts.reset_reason == EndReason::kCrashed ? kCrashResetM : 0;
  if (!track.is_closed()) back_m = std::min(back_m, std::max(last_m - kCrashResetM, 0.0));
  const double arc_m = track.WrapArcLength(last_m - back_m);
  return {arc_m, LaneOffset(track, arc_m, facts.position.lateral_offset_m > 0)};
}

}  // namespace lapforge::sim
