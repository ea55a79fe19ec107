#include "tools/cli/track/track_summary.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/base/strings.h"

namespace lapforge::cli {

TrackSummary Summarize(const tracks::Track& track) {
  TrackSummary summary;
  summary.name = track.name();
  summary.length_m = track.length_m();
  summary.num_waypoints = track.num_waypoints();
  summary.min_width_m = 1e9;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const tracks::Waypoint waypoint = track.waypoint(i);
    const double width_m = Length(waypoint.left_m - waypoint.right_m);
    summary.min_width_m = std::min(summary.min_width_m, width_m);
    summary.max_width_m = std::max(summary.max_width_m, width_m);
  }
  summary.kind = !track.is_closed()             ? "open"
                 : track.is_counter_clockwise() ? "closed, counter-clockwise"
                                                : "closed, clockwise";
  return summary;
}

nlohmann::json ToJson(const TrackSummary& summary) {
  return {{"name", summary.name},
          {"length_m", summary.length_m},
          {"min_width_m", summary.min_width_m},
          {"max_width_m", summary.max_width_m},
          {"waypoints", summary.num_waypoints},
          {"kind", summary.kind}};
}

void PrintText(const TrackSummary& summary) {
  std::string width = FormatFixed(summary.min_width_m, 2);
  if (summary.max_width_m - summary.min_width_m > 0.01) {
    width += " to " + FormatFixed(summary.max_width_m, 2);
  }
  std::printf("%-24s %8.2f m long, %s m wide, %d waypoints, %s\n", summary.name.c_str(),
              summary.length_m, width.c_str(), summary.num_waypoints, summary.kind.c_str());
}

}  // namespace lapforge::cli
