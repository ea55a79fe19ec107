#include "tracks/io/track_text.h"

#include "sim/base/strings.h"

namespace lapforge::tracks {
namespace {

std::string PlaceText(std::string_view key, Vec2 place_m) {
  return StrCat(" ", key, " { x_m: ", place_m.x, " y_m: ", place_m.y, " }");
}

}  // namespace

std::string TextprotoFromTrack(const Track& track) {
  std::string text = StrCat("name: ", QuoteText(track.name()), "\n");
  if (!track.description().empty()) {
    text += StrCat("description: ", QuoteText(track.description()), "\n");
  }
  if (!track.is_closed()) text += "is_open: true\n";
  if (!track.is_closed() && !track.inner_is_left()) text += "inner_is_right: true\n";
  text += "\n";
  const int num_points = track.is_closed() ? track.num_segments() : track.num_waypoints();
  for (int i = 0; i < num_points; ++i) {
    const Waypoint row = track.waypoint(i);
    text += StrCat("point { x_m: ", row.center_m.x, " y_m: ", row.center_m.y,
                   PlaceText("left", row.left_m), PlaceText("right", row.right_m), " }\n");
  }
  return text;
}

}  // namespace lapforge::tracks
