// Where a track lies in its picture, and how large everything around it is.
#pragma once

#include "tracks/track.h"

namespace lapforge::tracks {

struct Layout {
  // The track fills the width, between a title above and a scale below. A tall track is made
  // smaller, so that the picture is at most a quarter higher than wide.
  static Layout Of(const Track& track, int width_px);
  // The same for whatever fills a box.
  static Layout Around(Vec2 low_m, Vec2 high_m, int width_px);

  Vec2 ToPixel(Vec2 world_m) const {
    return {track_left_px + (world_m.x - low_m.x) * px_per_m,
            track_bottom_px - (world_m.y - low_m.y) * px_per_m};
  }

  int width_px = 0;
  int height_px = 0;
  double unit_px = 0;  // of text and line sizes: one pixel in a picture 1600 pixels wide
  double margin_px = 0;
  double px_per_m = 0;
  Vec2 low_m;  // lower left corner of the track
  double track_left_px = 0;
  double track_bottom_px = 0;
};

}  // namespace lapforge::tracks
