// The pictures of ROS maps: PGM and PNG.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>

#include "sim/base/result.h"

namespace lapforge::tracks {

// A picture has at most this many pixels: 250 m x 250 m of 5 cm each.
inline constexpr int64_t kMaxMapPixels = 25'000'000;

// True for what begins like a PGM or PNG file.
bool IsMapImage(std::string_view bytes);

// The picture in grey, 8 bits a pixel, row 0 on top. Reads PGM (binary and plain) and PNG of any
// depth and colour; needs about twice the picture's pixels in bytes. Sizes and checksums are
// checked before anything is allocated. Errors begin with "source: ".
Result<cv::Mat> DecodeMapImage(std::string_view bytes, const std::string& source);

// A binary PGM file of a picture of 8 bits a pixel.
std::string PgmOf(const cv::Mat& image);

}  // namespace lapforge::tracks
