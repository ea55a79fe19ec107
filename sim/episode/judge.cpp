#include <algorithm>
#include <cmath>

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

bool IsTruncation(EndReason reason) {
  return reason == EndReason::kLapComplete || reason == EndReason::kStepLimit ||
         reason == EndReason::kTimeUp;
}

void EndEpisode(EndReason reason, StepFacts& facts) {
  facts.reason = reason;
  facts.truncated = IsTruncation(reason);
  facts.terminated = !facts.truncated;
}

// The car goes on from where it will be put back.
void CountReset(const EpisodeOptions& options, EndReason violation, JudgeState& state,
                StepFacts& facts) {
  facts.reset_reason = violation;
  ++state.reset_count;
  state.penalty_us += PenaltyUs(options, violation);
  state.num_still = 0;
  state.num_falling = 0;
}

}  // namespace

int64_t PenaltyUs(const EpisodeOptions& options, EndReason violation) {
  constexpr double kUsPerS = 1e6;
  const double penalty_s = violation == EndReason::kCrashed ? options.crash_penalty_s
                           : violation == EndReason::kStuck ? options.stuck_penalty_s
                                                            : options.off_track_penalty_s;
  return std::llround(penalty_s * kUsPerS);
}

void Judge(const EpisodeOptions& options, const EpisodeClock& clock, JudgeState& state,
           StepFacts& facts) {
  const bool is_first = state.num_judged == 0;
  const bool is_still =
      !is_first && RecentMove(state, facts.front_point_m) <= options.stuck_distance_m;
  const bool is_falling = !is_first && facts.progress_pct < state.last_progress_pct;
  const bool is_stuck = IsOverLimit(is_still, options.stuck_steps, state.num_still);
  const bool is_reversed = IsOverLimit(is_falling, options.reversed_steps, state.num_falling);
  const double elapsed_s = clock.driven_s + static_cast<double>(state.penalty_us) * 1e-6;
  const bool is_time_up = options.max_time_s > 0 && elapsed_s >= options.max_time_s;

  const bool has_lap = facts.progress_pct >= 100;
  if (has_lap) ++state.lap_count;
  state.last_points_m = {facts.front_point_m, state.last_points_m[0]};
  state.last_progress_pct = has_lap ? 0 : facts.progress_pct;
  ++state.num_judged;

  const EndReason violation = facts.is_crashed     ? EndReason::kCrashed
                              : facts.is_off_track ? EndReason::kOffTrack
                              : is_stuck           ? EndReason::kStuck
                              : is_reversed        ? EndReason::kReversed
                                                   : EndReason::kNone;
  if (has_lap && state.lap_count >= options.max_laps && options.max_laps > 0) {
    EndEpisode(EndReason::kLapComplete, facts);
  } else if (is_time_up) {
    EndEpisode(violation == EndReason::kNone ? EndReason::kTimeUp : violation, facts);
  } else if (violation != EndReason::kNone && state.reset_count < options.max_resets) {
    CountReset(options, violation, state, facts);
  } else if (violation != EndReason::kNone) {
    EndEpisode(violation, facts);
  } else if (options.max_steps > 0 && clock.num_steps >= options.max_steps) {
    EndEpisode(EndReason::kStepLimit, facts);
  }
  facts.lap_count = state.lap_count;
  facts.reset_count = state.reset_count;
}

void JudgeFault(StepFacts& facts) { EndEpisode(EndReason::kFault, facts); }

}  // namespace lapforge::sim
