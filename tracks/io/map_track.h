// Maps of ROS, as the simulators and cars of F1TENTH use them, from and to tracks.
#pragma once

#include <opencv2/core.hpp>
#include <string>

#include "sim/base/result.h"
#include "tracks/io/map_info.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// The road of a map. A map says neither where the lap starts nor which way it goes: it starts at
// the place nearest to x = 0, y = 0, where those simulators put the car, and goes
// counter-clockwise. Rows are 0.3 half-widths apart, at least 2 pixels, at most 2000. Errors begin
// with "source: ".
Result<TrackRows> RowsFromMap(const cv::Mat& image, const MapInfo& info, const std::string& source);

// A map's picture and where it lies.
struct TrackMap {
  cv::Mat image;  // 8 bits a pixel: 254 free, 0 wall, 205 unknown
  MapInfo info;   // without the picture's name
};

// Paints a closed track with walls two pixels wide: a pixel is free where its centre is on the
// road. Errors do not name the track.
Result<TrackMap> MapFromTrack(const Track& track, double resolution_m);

}  // namespace lapforge::tracks
