// Tests video files: what OpenCV reads back from them, and places that cannot hold one.
#include "tools/viewer/video_file.h"

#include <opencv2/videoio.hpp>

#include "sim/base/file_io.h"
#include "tests/base/temporary_folder.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::viewer {
namespace {

using sim::ValueOf;

constexpr VideoFormat kFormat = {320, 180, 25};

size_t NumFiles(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                           std::filesystem::directory_iterator()));
}

TEST_CASE("frames come back in order, size, speed and colour") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "colours.mp4";
  const auto video = ValueOf(VideoFile::Create(path, kFormat));
  constexpr int kNumFrames = 30;
  for (int i = 0; i < kNumFrames; ++i) {
    video->Add(tracks::PixelCanvas(320, 180, {uint8_t(8 * i), 100, 200}));
  }
  CHECK(video->num_frames() == kNumFrames);
  CHECK_FALSE(std::filesystem::exists(path));
  REQUIRE(video->Finish().ok());
  CHECK(NumFiles(folder.path()) == 1);

  cv::VideoCapture reader(path.string());
  REQUIRE(reader.isOpened());
  CHECK(reader.get(cv::CAP_PROP_FRAME_WIDTH) == 320);
  CHECK(reader.get(cv::CAP_PROP_FRAME_HEIGHT) == 180);
  CHECK(reader.get(cv::CAP_PROP_FPS) == Approx(25));
  cv::Mat frame;
  int num_frames = 0;
  for (; reader.read(frame); ++num_frames) {
    const cv::Vec3b pixel = frame.at<cv::Vec3b>(90, 160);
    CHECK(int(pixel[2]) == Approx(8 * num_frames).margin(6));
    CHECK(int(pixel[1]) == Approx(100).margin(6));
    CHECK(int(pixel[0]) == Approx(200).margin(6));
  }
  CHECK(num_frames == kNumFrames);
}

TEST_CASE("a video that is not finished leaves nothing, and an older one as it was") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "old.mp4";
  REQUIRE(WriteFileAtomic(path, "old").ok());
  {
    const auto video = ValueOf(VideoFile::Create(path, kFormat));
    video->Add(tracks::PixelCanvas(320, 180, {}));
  }
  CHECK(ValueOf(ReadFile(path)) == "old");
  CHECK(NumFiles(folder.path()) == 1);
}

TEST_CASE("a video without frames is not finished") {
  const TemporaryFolder folder;
  const auto video = ValueOf(VideoFile::Create(folder.path() / "none.mp4", kFormat));
  CHECK(video->num_frames() == 0);
  (void)video->Finish();
}

TEST_CASE("places that hold no video are refused in one line before any frame") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "folder.mp4");
  for (const char* name : {"film.avi", "film", "folder.mp4", "absent/film.mp4"}) {
    const auto video = VideoFile::Create(folder.path() / name, kFormat);
    REQUIRE_FALSE(video.ok());
    const std::string& message = video.error().message;
    CAPTURE(message);
    CHECK(message.find(name) != message.npos);
    CHECK(message.find('\n') == message.npos);
    CHECK(message.find(kTemporaryPrefix) == message.npos);
  }
  CHECK(NumFiles(folder.path()) == 1);
}

}  // namespace
}  // namespace lapforge::viewer
