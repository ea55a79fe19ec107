// From an environment's sums to the means that are logged.
#pragma once

#include "agents/learner.h"
#include "agents/rollout/environment.h"

namespace lapforge::agents {

inline void CountEpisodes(const EpisodeStats& episodes, IterationStats& stats) {
  const double count = static_cast<double>(episodes.num_episodes);
  const double share = episodes.num_episodes > 0 ? 1 / count : 0;
  stats.num_episodes = episodes.num_episodes;
  stats.episode_return = episodes.sum_return * share;
  stats.episode_steps = episodes.sum_steps * share;
  stats.completion_pct = episodes.sum_completion_pct * share;
  stats.num_laps = episodes.num_laps;
  stats.best_lap_time_s = episodes.best_lap_time_s;
}

inline void CountRewardErrors(const std::vector<reward::RewardErrorCount>& errors,
                              IterationStats& stats) {
  for (const reward::RewardErrorCount& error : errors) {
    stats.num_reward_errors += error.num_episodes;
  }
}

}  // namespace lapforge::agents
