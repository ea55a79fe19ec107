// A track as its author draws it, and the rows that come of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "tracks/track.h"

namespace lapforge::tracks {

enum class SegmentShape { kStraight, kArc, kTransition };

struct DesignSegment {
  SegmentShape shape = SegmentShape::kStraight;
  double length_m = 0;                // straights and transitions
  double radius_m = 0;                // arcs
  double angle_rad = 0;               // arcs, left positive
  bool fit = false;                   // straights and arcs: length or angle may change to close
  std::optional<double> end_width_m;  // absent: the width stays
  int line = 0;                       // in the file, from 1
};

struct DesignPoint {
  Vec2 center_m;
  double left_m = 0;
  double right_m = 0;
  std::optional<BorderPoints> borders_m;  // in place of left_m and right_m
  int line = 0;
};

struct TrackDesign {
  std::string name;
  std::string description;
  double width_m = 0;
  double spacing_m = 0.15;  // as DeepRacer's own tracks: corners of 0.5 m keep their shape
  bool is_open = false;
  bool inner_is_right = false;  // of an open road, for rewards that ask for the inner border
  std::vector<DesignSegment> segments;  // these or points
  std::vector<DesignPoint> points;
};

// The rows of a design; `source` is the file's name for messages, which read "source:line: ...".
// Refuses numbers out of range, a road that does not close, and borders that cross.
Result<TrackRows> RowsFromDesign(const TrackDesign& design, const std::string& source);

}  // namespace lapforge::tracks
