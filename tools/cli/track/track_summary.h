// What `lapforge track` says about a track in one line or one JSON object.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tracks/track.h"

namespace lapforge::cli {

struct TrackSummary {
  std::string name;
  double length_m = 0;
  double min_width_m = 0;
  double max_width_m = 0;
  int num_waypoints = 0;
  std::string kind;  // "closed, counter-clockwise"
};

TrackSummary Summarize(const tracks::Track& track);
nlohmann::json ToJson(const TrackSummary& summary);
// One line on stdout.
void PrintText(const TrackSummary& summary);

}  // namespace lapforge::cli
