// Feeds any bytes to the reader of the pictures of ROS maps, and what it reads to the search for
// the road.
#include "tests/fuzz/outcome.h"
#include "tracks/io/map_image.h"
#include "tracks/io/map_track.h"

namespace lapforge::tracks {
namespace {

Result<Track> Read(std::string_view bytes) {
  LAPFORGE_TRY(const cv::Mat image, DecodeMapImage(bytes, "input"));
  LAPFORGE_TRY(const TrackRows rows, RowsFromMap(image, {"input", 0.05, {}}, "input"));
  return Track::FromRows(rows);
}

}  // namespace
}  // namespace lapforge::tracks

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lapforge::tracks;
  CheckOutcome(Read(TextOfInput(data, size)));
  return 0;
}
