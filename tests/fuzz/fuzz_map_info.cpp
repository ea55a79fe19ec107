// Feeds any bytes to the reader of the .yaml files of ROS maps, whose picture is a small ring.
#include <opencv2/imgproc.hpp>

#include "tests/fuzz/outcome.h"
#include "tracks/io/map_track.h"

namespace lapforge::tracks {
namespace {

cv::Mat SmallRing() {
  cv::Mat image(24, 24, CV_8UC1, cv::Scalar(0));
  cv::circle(image, {12, 12}, 7, 255, 4);
  return image;
}

Result<Track> Read(std::string_view text) {
  static const cv::Mat kImage = SmallRing();
  LAPFORGE_TRY(const MapInfo info, ParseMapInfo(text, "input"));
  LAPFORGE_TRY(const TrackRows rows, RowsFromMap(kImage, info, "input"));
  return Track::FromRows(rows);
}

}  // namespace
}  // namespace lapforge::tracks

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lapforge::tracks;
  CheckOutcome(Read(TextOfInput(data, size)));
  return 0;
}
