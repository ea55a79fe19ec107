// One step of one env as DeepRacer's traces and logs write it (spec/deepracer.md 6.1).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::agents {

inline constexpr std::string_view kTraceHeader =
    "episode,steps,X,Y,yaw,steer,throttle,action,reward,done,all_wheels_on_track,progress,"
    "closest_waypoint,track_len,tstamp,episode_status,pause_duration,obstacle_crash_counter,"
    "wall_clock\n";

// DeepRacer's words; `label` is that of the metrics.
struct TraceStatus {
  const char* word;   // "lap_complete"
  const char* label;  // "Lap complete"
};
const TraceStatus& TraceStatusOf(sim::EndReason reason);

struct TraceRow {
  int64_t episode = 0;
  int32_t steps = 0;
  Vec2 front_point_m;
  double yaw_deg = 0;
  double steering_deg = 0;  // commanded, like the speed
  double speed_mps = 0;
  int32_t action_index = -1;       // discrete actions
  std::array<double, 2> action{};  // continuous ones, in [-1, 1]
  double reward = 0;
  bool is_last = false;
  bool is_prepare = false;
  bool all_wheels_on_track = true;
  double progress_pct = 0;
  int32_t closest_waypoint = 0;
  double track_length_m = 0;
  double time_s = 0;       // simulated
  double step_time_s = 0;  // between the state that the action was chosen for and this row
  sim::EndReason reason = sim::EndReason::kNone;
  int32_t num_crashes = 0;
  double wall_clock_s = 0;  // since 1970
};

// When facts are of a row: DeepRacer's are of the state before the action, measured ones of the
// state `control_dt_s` later.
struct TraceClock {
  sim::FactsInstant instant = sim::FactsInstant::kMeasured;
  double control_dt_s = 0;
  double wall_clock_s = 0;
};

// `view` is the track of the facts.
TraceRow MakeTraceRow(const sim::StepFacts& facts, const tracks::Track& view, double reward,
                      const TraceClock& clock);

// The step before the first one, as every episode of DeepRacer begins: standing, worth nothing.
TraceRow PrepareRow(const TraceRow& first);

// The row as a line of a CSV file, and as DeepRacer's log prints it.
void AppendCsvLine(const TraceRow& row, std::string& text);
void AppendLogLine(const TraceRow& row, std::string& text);

// Seconds since 1970, now.
double WallClockS();

}  // namespace lapforge::agents
