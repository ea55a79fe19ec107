// Tests that pictures are drawn whole: size, colours where they must be, and refusals.
#include "tracks/track_picture.h"

#include <opencv2/imgcodecs.hpp>

#include "sim/base/file_io.h"
#include "tests/base/temporary_folder.h"
#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

// Share of the pixels that have about this colour.
double ShareOf(const cv::Mat& image, cv::Vec3b blue_green_red) {
  int count = 0;
  for (int y = 0; y < image.rows; ++y) {
    for (int x = 0; x < image.cols; ++x) {
      if (cv::norm(image.at<cv::Vec3b>(y, x), blue_green_red, cv::NORM_INF) < 12) ++count;
    }
  }
  return double(count) / (image.rows * image.cols);
}

cv::Mat Draw(const Track& track, const std::vector<DrivenLine>& lines,
             const PictureOptions& options) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "track.png";
  const Result<void> drawn = DrawTrackPng(track, lines, options, file);
  INFO((drawn.ok() ? "" : drawn.error().message));
  REQUIRE(drawn.ok());
  return cv::imread(file.string());
}

TEST_CASE("every track is drawn at every size") {
  for (const Track& track : AllTracks()) {
    INFO(track.name());
    PictureOptions options;
    for (const int width_px : {64, 500}) {
      options.width_px = width_px;
      const cv::Mat image = Draw(track, {}, options);
      CHECK(image.cols == width_px);
      CHECK(image.rows <= 1.3 * width_px);
      if (width_px > 64) CHECK(ShareOf(image, {60, 55, 52}) > 0.02);  // asphalt
      CHECK(ShareOf(image, {78, 104, 72}) > 0.1);                     // field
    }
  }
}

TEST_CASE("driven lines go from blue to red") {
  DrivenLine line;
  line.value_label = "speed, m/s";
  const Track track = MakeTrack(CircleRows(2, 1, 60));
  for (int i = 0; i <= 200; ++i) {
    line.points_m.push_back(track.PointAt(track.length_m() * i / 200, 0.2));
    line.values.push_back(i);
  }
  line.points_m.push_back({NAN, 0});
  line.values.push_back(NAN);
  const cv::Mat image = Draw(track, {line, {}}, {});
  CHECK(image.cols == 1600);
  CHECK(ShareOf(image, {255, 110, 60}) > 1e-4);
  CHECK(ShareOf(image, {55, 70, 245}) > 1e-4);
  CHECK(ShareOf(image, {90, 225, 110}) > 1e-4);
  CHECK(ShareOf(Draw(track, {}, {}), {55, 70, 245}) == 0);
}

TEST_CASE("long titles are cut and odd characters survive") {
  PictureOptions options;
  options.width_px = 400;
  options.title = std::string(5000, 'x') + "\xc3\xa9\n";
  CHECK(Draw(MakeTrack(CircleRows(2, 1, 60)), {}, options).cols == 400);
}

TEST_CASE("sizes out of range and folders that are not there are refused") {
  const Track track = MakeTrack(CircleRows(2, 1, 60));
  PictureOptions options;
  options.width_px = 63;
  CHECK(DrawTrackPng(track, {}, options, "/tmp/x.png").error().message ==
        "/tmp/x.png: a picture 63 pixels wide; expected 64 .. 8192");
  const Result<void> drawn = DrawTrackPng(track, {}, {}, "/no-such-folder/x.png");
  REQUIRE_FALSE(drawn.ok());
  CHECK(drawn.error().message.find("/no-such-folder/x.png") != std::string::npos);
}

}  // namespace
}  // namespace lapforge::tracks
