#include "agents/deepracer/tree/trace.h"

#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>

#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

// Degrees as a person wrote them, without the rounding of degrees -> radians -> degrees.
double DegreesAsWritten(double angle_rad) {
  constexpr double kSteps = 1e9;
  return std::round(DegFromRad(angle_rad) * kSteps) / kSteps;
}

// The nearer one of the waypoints behind and ahead.
int ClosestWaypoint(const sim::StepFacts& facts, const tracks::Track& view) {
  const int index = facts.position.segment_index;
  const auto distance_m = [&](int waypoint) {
    return Length(facts.front_point_m - view.waypoint(waypoint).center_m);
  };
  return distance_m(index) <= distance_m(index + 1) ? index : index + 1;
}

// As Python prints a float.
std::string FloatText(double value) {
  std::string text = StrCat(value);
  if (text.find_first_of(".en") == text.npos) text += ".0";
  return text;
}

std::string ActionText(const TraceRow& row) {
  if (row.action_index >= 0) return StrCat(row.action_index);
  return StrCat("[", FloatText(row.action[0]), " ", FloatText(row.action[1]), "]");
}

const char* BoolText(bool value) { return value ? "True" : "False"; }

const char* StatusText(const TraceRow& row) {
  return row.is_prepare ? "prepare" : TraceStatusOf(row.reason).word;
}

}  // namespace

const TraceStatus& TraceStatusOf(sim::EndReason reason) {
  static constexpr TraceStatus kInProgress = {"in_progress", "In progress"};
  static constexpr TraceStatus kOffTrack = {"off_track", "Off track"};
  static constexpr TraceStatus kLapComplete = {"lap_complete", "Lap complete"};
  static constexpr TraceStatus kTimeUp = {"time_up", "Time up"};
  static constexpr TraceStatus kCrashed = {"crashed", "Crashed"};
  static constexpr TraceStatus kImmobilized = {"immobilized", "Immobilized"};
  static constexpr TraceStatus kReversed = {"reversed", "Reversed"};
  switch (reason) {
    case sim::EndReason::kNone:
      return kInProgress;
    case sim::EndReason::kOffTrack:
      return kOffTrack;
    case sim::EndReason::kLapComplete:
      return kLapComplete;
    case sim::EndReason::kStepLimit:
    case sim::EndReason::kTimeUp:
      return kTimeUp;
    case sim::EndReason::kCrashed:
    case sim::EndReason::kFault:        // the simulation broke, or the reward failed:
    case sim::EndReason::kRewardError:  // DeepRacer has no words for these
      return kCrashed;
    case sim::EndReason::kStuck:
      return kImmobilized;
    case sim::EndReason::kReversed:
      return kReversed;
  }
  return kInProgress;
}

TraceRow MakeTraceRow(const sim::StepFacts& facts, const tracks::Track& view, double reward,
                      const TraceClock& clock) {
  TraceRow row;
  row.steps = facts.steps;
  row.front_point_m = facts.front_point_m;
  row.yaw_deg = DegFromRad(facts.car.yaw_rad);
  row.steering_deg = DegreesAsWritten(facts.steering_cmd_rad);
  row.speed_mps = facts.speed_cmd_mps;
  row.action_index = facts.action_index;
  row.action = facts.action;
  row.reward = reward;
  row.is_last = facts.ended();
  row.all_wheels_on_track = facts.all_wheels_on_track;
  row.progress_pct = facts.progress_pct;
  row.closest_waypoint = ClosestWaypoint(facts, view);
  row.track_length_m = view.length_m();
  row.step_time_s = clock.instant == sim::FactsInstant::kMeasured ? clock.control_dt_s : 0;
  row.time_s = facts.sim_time_s + row.step_time_s;
  row.reason = facts.reason;
  row.num_crashes = facts.is_crashed ? 1 : 0;
  row.wall_clock_s = clock.wall_clock_s;
  return row;
}

TraceRow PrepareRow(const TraceRow& first) {
  TraceRow row = first;
  row.steps = first.steps - 1;
  row.steering_deg = row.speed_mps = row.reward = row.progress_pct = 0;
  row.time_s = first.time_s - first.step_time_s;
  row.is_prepare = true;
  row.is_last = false;
  row.reason = sim::EndReason::kNone;
  return row;
}

void AppendCsvLine(const TraceRow& row, std::string& text) {
  for (const std::string& field :
       {StrCat(row.episode), FloatText(row.steps), FloatText(row.front_point_m.x),
        FloatText(row.front_point_m.y), FloatText(row.yaw_deg), FloatText(row.steering_deg),
        FloatText(row.speed_mps), ActionText(row), FloatText(row.reward)}) {
    text += field;
    text += ',';
  }
  text += StrCat(BoolText(row.is_last), ",", BoolText(row.all_wheels_on_track), ",",
                 FloatText(row.progress_pct), ",", row.closest_waypoint, ",",
                 FloatText(row.track_length_m), ",", FloatText(row.time_s), ",", StatusText(row),
                 ",0.0,", row.num_crashes, ",", FormatFixed(row.wall_clock_s, 4), "\n");
}

void AppendLogLine(const TraceRow& row, std::string& text) {
  char line[512];
  const int size = std::snprintf(
      line, sizeof(line),
      "SIM_TRACE_LOG:%" PRId64
      ",%d,%.4f,%.4f,%.4f,%.2f,%.2f,%s,%.4f,%s,%s,%.4f,%d,%.2f,%s,%s,"
      "%.2f,%d,%.4f\n",
      row.episode, row.steps, row.front_point_m.x, row.front_point_m.y, row.yaw_deg,
      row.steering_deg, row.speed_mps, ActionText(row).c_str(), row.reward, BoolText(row.is_last),
      BoolText(row.all_wheels_on_track), row.progress_pct, row.closest_waypoint, row.track_length_m,
      FloatText(row.time_s).c_str(), StatusText(row), 0.0, row.num_crashes, row.wall_clock_s);
  text.append(line, static_cast<size_t>(size));
}

double WallClockS() {
  using Seconds = std::chrono::duration<double>;
  return Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace lapforge::agents
