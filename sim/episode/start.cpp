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
  switch (episode.start) {
    case StartMode::kLine:
      break;
    case StartMode::kSpread:
      share += static_cast<double>(env_index) / options.num_envs;
      break;
    case StartMode::kRoundRobin:
      share += episode.start_advance_frac * episode_index;
      break;
    case StartMode::kAnywhere:
      share += random.Uniform();
      break;
  }
  start.arc_length_m = PlaceOnTrack(track, share, car_length_m);
  if (episode.start != StartMode::kAnywhere) return start;

  const double side = random.Uniform(-1, 1);
  const tracks::HalfWidths half = track.HalfWidthsAt(start.arc_length_m);
  start.lateral_offset_m =
      side * episode.start_lateral_frac * (side > 0 ? half.left_m : half.right_m);
  start.heading_error_rad = random.Uniform(-1, 1) * episode.start_heading_rad;
  start.speed_mps = random.Uniform() * episode.start_speed_mps;
  return start;
}

ResetPose ChooseResetPose(const tracks::Track& track, const StepFacts& facts) {
  const double arc_m = track.WrapArcLength(facts.position.arc_length_m - facts.progress_delta_m);
  const tracks::HalfWidths half = track.HalfWidthsAt(arc_m);
  const double lane_m = facts.position.lateral_offset_m > 0 ? half.left_m / 2 : -half.right_m / 2;
  return {track.PointAt(arc_m, lane_m), track.TangentYawAt(arc_m)};
}

}  // namespace lapforge::sim
