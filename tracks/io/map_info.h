// The .yaml file beside a ROS map's picture.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/math.h"
#include "sim/base/result.h"

namespace lapforge::tracks {

// What the file says, see the map format of ROS's map_server.
struct MapInfo {
  std::string image;           // path of the picture, relative to the file's folder or absolute
  double resolution_m = 0;     // side of a pixel
  Pose2 origin;                // of the picture's lower left corner
  bool is_negated = false;     // white is occupied
  double free_thresh = 0.196;  // a pixel is free where it is occupied with less than this chance
};

// True for text with a line that begins with a key of these files.
bool IsMapInfo(std::string_view text);

// Reads the flat subset of YAML that these files use: `key: value`, `[x, y, yaw]` or a list of
// lines that begin with a dash, quotes, comments. Needs image, resolution and origin; takes
// occupied_thresh, which does not matter to a road. Unknown keys are reported. Errors begin with
// "source:line: ".
Result<MapInfo> ParseMapInfo(std::string_view text, const std::string& source);

// The file's text.
std::string TextOf(const MapInfo& info);

}  // namespace lapforge::tracks
