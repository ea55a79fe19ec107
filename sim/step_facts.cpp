#include "sim/step_facts.h"

namespace lapforge::sim {

const char* EndReasonName(EndReason reason) {
  switch (reason) {
    case EndReason::kNone:
      return "none";
    case EndReason::kOffTrack:
      return "off_track";
    case EndReason::kLapComplete:
      return "lap_complete";
    case EndReason::kStepLimit:
      return "step_limit";
    case EndReason::kCrashed:
      return "crashed";
    case EndReason::kStuck:
      return "stuck";
    case EndReason::kReversed:
      return "reversed";
    case EndReason::kTimeUp:
      return "time_up";
    case EndReason::kFault:
      return "fault";
    case EndReason::kRewardError:
      return "reward_error";
  }
  return "none";
}

}  // namespace lapforge::sim
