#include <algorithm>

#include "sim/episode/episode.h"

namespace lapforge::sim {
namespace {

// Counts facts in a row that fulfil a rule; 0 limit: the rule is off.
bool IsOverLimit(bool is_fulfilled, int limit, int32_t& count) {
  count = is_fulfilled ? count + 1 : 0;
  return limit > 0 && count >= limit;
}

// The smaller way from the two facts before, as DeepRacer measures standing still.
double RecentMove(const JudgeState& state, Vec2 point_m) {
  double move_m = Length(point_m - state.last_points_m[0]);
  if (state.num_judged > 1) move_m = std::min(move_m, Length(point_m - state.last_points_m[1]));
  return move_m;
}

struct Verdict {
  EndReason reason = EndReason::kNone;
  bool is_truncation = false;
};

Verdict Decide(bool is_race_over, bool is_stuck, bool is_reversed, bool is_over_time,
               const StepFacts& facts) {
  if (is_race_over) return {EndReason::kLapComplete, true};
  if (facts.is_off_track) return {EndReason::kOffTrack, false};
  if (is_stuck) return {EndReason::kStuck, false};
  if (is_reversed) return {EndReason::kReversed, false};
  if (is_over_time) return {EndReason::kStepLimit, true};
  return {};
}

}  // namespace

void Judge(const EpisodeOptions& options, int num_steps, JudgeState& state, StepFacts& facts) {
  // rules about what happened since the facts before
  bool is_stuck = false;
  bool is_reversed = false;
  if (state.num_judged > 0) {
    is_stuck = IsOverLimit(RecentMove(state, facts.front_point_m) <= options.stuck_distance_m,
                           options.stuck_steps, state.num_still);
    is_reversed = IsOverLimit(facts.progress_pct < state.last_progress_pct, options.reversed_steps,
                              state.num_falling);
  }
  ++state.num_judged;
  state.last_progress_pct = facts.progress_pct;
  state.last_points_m[1] = state.last_points_m[0];
  state.last_points_m[0] = facts.front_point_m;

  if (facts.lap_time_us > 0) ++state.lap_count;
  facts.lap_count = state.lap_count;
  const bool is_race_over = options.max_laps > 0 && state.lap_count >= options.max_laps;
  const bool is_over_time = options.max_steps > 0 && num_steps >= options.max_steps;
  const Verdict verdict = Decide(is_race_over, is_stuck, is_reversed, is_over_time, facts);
  facts.reason = verdict.reason;
  facts.truncated = verdict.is_truncation;
  facts.terminated = verdict.reason != EndReason::kNone && !verdict.is_truncation;
}

}  // namespace lapforge::sim
