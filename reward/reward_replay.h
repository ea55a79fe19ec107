// A reward function over laps that were driven before: what it would have paid, without training.
#pragma once

#include <string>
#include <vector>

#include "reward/reward_check.h"
#include "reward/reward_function.h"
#include "sim/base/result.h"
#include "sim/recording.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::reward {

/// One step of a lap and what it paid.
struct RewardedStep {
  int number = 0;     // of the episode, from 1
  double time_s = 0;  // simulated time of the episode at the start of the step
  Vec2 front_point_m;
  double progress_pct = 0;
  double lateral_offset_m = 0;  // from the centerline, left positive
  double speed_mps = 0;         // measured, in the plane
  double speed_cmd_mps = 0;
  double steering_cmd_rad = 0;
  double reward = 0;
  std::vector<double> terms;  // [term_names.size()], their sum is the reward
};

/// From the start of an episode, or the end of the lap before, to the next end of either.
struct RewardedLap {
  int env_index = 0;
  int track_index = 0;                            // into views
  sim::EndReason reason = sim::EndReason::kNone;  // kNone: the drive went on, or its recording ends
  RewardedDrive summary;                          // named "car 1, lap 1"
  std::vector<RewardedStep> steps;
};

struct RewardReplay {
  std::vector<tracks::Track> views;     // VectorSim::tracks() of the recording
  std::vector<std::string> term_names;  // of a native reward; else empty
  std::vector<RewardedLap> laps;        // car by car, in driving order
};

struct RewardReplayOptions {
  RewardOptions reward;
  /// kDeepracer: a measured recording is shown as DeepRacer pairs it (spec/deepracer.md 1.4), and
  /// the function is called once more with the pose in which the episode ended. A recording of
  /// DeepRacer's facts is shown as it is.
  sim::FactsInstant facts = sim::FactsInstant::kDeepracer;
  double discount = 0.99;                        // 0 .. 1, for the discounted sums
  std::string recording_name = "the recording";  // what messages call it
};

/// Simulates the recording again and shows every step to the function. What a car drives after its
/// last complete episode is left out. Errors: what the reward says of itself, or a drive that
/// differs from the recording.
Result<RewardReplay> ReplayReward(const sim::Recording& recording,
                                  const RewardReplayOptions& options);

}  // namespace lapforge::reward
