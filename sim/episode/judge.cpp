#include <algorithm>

#include "sim/episode/episode.h"

namespace lapforge::sim {
namespace {

// Counts facts in a row that fulfil a rule; true when there are `limit` of them. Limit 0: never.
bool IsOverLimit(bool is_fulfilled, int limit, int32_t& count) {
  count = is_fulfilled ? count + 1 : 0;
  return limit > 0 && count >= limit;
}

// The shorter way from the last two facts, as DeepRacer measures standing still.
double RecentMove(const JudgeState& state, Vec2 point_m) {
  double move_m = Length(point_m - state.last_points_m[0]);
  if (state.num_judged > 1) move_m = std::min(move_m, Length(point_m - state.last_points_m[1]));
  return move_m;
}

void EndEpisode(EndReason reason, StepFacts& facts) {
  facts.reason = reason;
  facts.truncated = reason == EndReason::kLapComplete || reason == EndReason::kStepLimit;
  facts.terminated = !facts.truncated;
}

}  // namespace

void Judge(const EpisodeOptions& options, int num_steps, JudgeState& state, StepFacts& facts) {
  const bool is_first = state.num_judged == 0;
  const bool is_still =
      !is_first && RecentMove(state, facts.front_point_m) <= options.stuck_distance_m;
  const bool is_falling = !is_first && facts.progress_pct < state.last_progress_pct;
  const bool is_stuck = IsOverLimit(is_still, options.stuck_steps, state.num_still);
  const bool is_reversed = IsOverLimit(is_falling, options.reversed_steps, state.num_falling);

  const bool has_lap = facts.progress_pct >= 100;
  if (has_lap) ++state.lap_count;
  state.last_points_m = {facts.front_point_m, state.last_points_m[0]};
  state.last_progress_pct = has_lap ? 0 : facts.progress_pct;
  ++state.num_judged;

  facts.lap_count = state.lap_count;
  if (has_lap && state.lap_count >= options.max_laps && options.max_laps > 0) {
    EndEpisode(EndReason::kLapComplete, facts);
  } else if (facts.is_crashed) {
    EndEpisode(EndReason::kCrashed, facts);
  } else if (facts.is_off_track) {
    EndEpisode(EndReason::kOffTrack, facts);
  } else if (is_stuck) {
    EndEpisode(EndReason::kStuck, facts);
  } else if (is_reversed) {
    EndEpisode(EndReason::kReversed, facts);
  } else if (options.max_steps > 0 && num_steps >= options.max_steps) {
    EndEpisode(EndReason::kStepLimit, facts);
  }
}

void JudgeFault(StepFacts& facts) { EndEpisode(EndReason::kFault, facts); }

}  // namespace lapforge::sim
