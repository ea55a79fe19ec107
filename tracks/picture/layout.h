// Where a track lies in its picture, and how large everything around it is.
#pragma once

#include "tracks/track.h"
#include "tracks/track_picture.h"

namespace lapforge::tracks {

// One unit is a pixel in a picture 1600 pixels wide.
struct Layout : MapView {
  // The track fills the width, between a title above and a scale below. A tall track is made
  // smaller, so that the picture is at most a quarter higher than wide.
  static Layout Of(const Track& track, int width_px);
  // The same for whatever fills a box.
  static Layout Around(Vec2 low_m, Vec2 high_m, int width_px);

  int width_px = 0;
  int height_px = 0;
  double margin_px = 0;
};

}  // namespace lapforge::tracks
