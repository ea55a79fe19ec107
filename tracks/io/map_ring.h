// The road of a map: the ring of free pixels between an inner and an outer wall.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "sim/base/math.h"

namespace lapforge::tracks {

// Distances to the two walls, at the pixels of the part of a picture that holds the road. They are
// measured between centres of pixels and are 0 on the wall itself.
struct RingField {
  cv::Mat to_inner_px;  // CV_32FC1
  cv::Mat to_outer_px;  // CV_32FC1
  cv::Point offset_px;  // of its first pixel in the picture
  int num_filled = 0;   // obstacles on the road that were painted over
};

// Of all free areas that are closed rings away from the picture's edges, the one that is longest
// for its width, because a road is long and narrow and the ground around it is not. Needs 8 bits a
// pixel, not 0 where free. Nothing where there is no ring.
std::optional<RingField> FindRing(const cv::Mat& is_free);

// The closed line half way between the walls, counter-clockwise as seen in the picture with y down
// or clockwise: the order says nothing. In pixels of the field, a pixel or so apart, smoothed.
std::vector<Vec2> MiddleOf(const RingField& field);

// The value at a place between pixels, and the mean of the values at several places.
double SampleAt(const cv::Mat& values, Vec2 place_px);
double MeanAt(const cv::Mat& values, const std::vector<Vec2>& places_px);

}  // namespace lapforge::tracks
