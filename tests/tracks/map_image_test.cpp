// Tests reading the pictures of maps: PGM by hand, PNG by OpenCV's writer, and hostile bytes.
#include "tracks/io/map_image.h"

#include <opencv2/imgcodecs.hpp>

#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

std::string ErrorFor(const std::string& bytes) {
  const Result<cv::Mat> image = DecodeMapImage(bytes, "my.pgm");
  REQUIRE_FALSE(image.ok());
  CHECK(image.error().message.find('\n') == std::string::npos);
  return image.error().message;
}

std::string PngOf(const cv::Mat& image) {
  std::vector<uint8_t> bytes;
  cv::imencode(".png", image, bytes);
  return {bytes.begin(), bytes.end()};
}

std::vector<int> PixelsOf(const Result<cv::Mat>& image) {
  INFO((image.ok() ? "" : image.error().message));
  REQUIRE(image.ok());
  return {image->begin<uint8_t>(), image->end<uint8_t>()};
}

const std::vector<int> kPixels = {0, 205, 254, 255, 1, 2};

TEST_CASE("binary and plain PGM files are read") {
  const std::string bytes(std::string_view("\x00\xcd\xfe\xff\x01\x02", 6));
  CHECK(PixelsOf(DecodeMapImage("P5\n3 2\n255\n" + bytes, "m")) == kPixels);
  CHECK(PixelsOf(DecodeMapImage("P5 # CREATOR: map_saver\n# 5 cm\n3 2 255 " + bytes, "m")) ==
        kPixels);
  CHECK(PixelsOf(DecodeMapImage("P2\n3 2\n255\n0 205 254\n255 1 2\n", "m")) == kPixels);
  CHECK(PixelsOf(DecodeMapImage("P2 2 1 4 0 2", "m")) == std::vector<int>{0, 127});
  const std::string wide(std::string_view("\x00\x00\xff\xff", 4));
  CHECK(PixelsOf(DecodeMapImage("P5 2 1 65535 " + wide, "m")) == std::vector<int>{0, 255});
  CHECK(PixelsOf(DecodeMapImage(PgmOf(*DecodeMapImage("P5 3 2 255 " + bytes, "m")), "m")) ==
        kPixels);
}

TEST_CASE("PNG files of any depth and colour are read as grey") {
  const cv::Mat grey = (cv::Mat_<uint8_t>(2, 3) << 0, 205, 254, 255, 1, 2);
  CHECK(PixelsOf(DecodeMapImage(PngOf(grey), "m")) == kPixels);
  cv::Mat color, with_alpha;
  cv::merge(std::vector<cv::Mat>{grey, grey, grey}, color);
  CHECK(PixelsOf(DecodeMapImage(PngOf(color), "m")) == kPixels);
  cv::merge(std::vector<cv::Mat>{grey, grey, grey, cv::Mat(2, 3, CV_8UC1, 255)}, with_alpha);
  CHECK(PixelsOf(DecodeMapImage(PngOf(with_alpha), "m")) == kPixels);
  cv::Mat deep;
  grey.convertTo(deep, CV_16UC1, 257);
  CHECK(PixelsOf(DecodeMapImage(PngOf(deep), "m")) == kPixels);
}

TEST_CASE("damaged and absurd pictures are refused in a line") {
  CHECK(ErrorFor("GIF89a") == "my.pgm: neither a .pgm nor a .png picture");
  CHECK(ErrorFor("P5 3 2 255 abc") ==
        "my.pgm: the picture is cut off: 3 x 2 pixels need 6 bytes, there are 3");
  CHECK(ErrorFor("P5 ") == "my.pgm: a picture of -1 x -1 pixels; expected at most 25 million");
  CHECK(ErrorFor("P5 30000 40000 255 ") ==
        "my.pgm: a picture of 30000 x 40000 pixels; expected at most 25 million");
  CHECK(ErrorFor("P5 0 2 255 ").find("0 x 2 pixels") != std::string::npos);
  CHECK(ErrorFor("P5 99999999999999999999 2 255 ").find("-1 x 2") != std::string::npos);
  CHECK(ErrorFor("P5 3 2 99999 ").find("white is 99999") != std::string::npos);
  CHECK(ErrorFor("P2 2 1 255 0 x") == "my.pgm: pixel 1 is no number");

  // a header that claims a gigapixel, with a correct checksum
  const std::string huge("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x80\0\0\0\x80\0\x08\0\0\0\0", 29);
  CHECK(ErrorFor(huge + "\xe1\x17\xfc\xa3") ==
        "my.pgm: a picture of 32768 x 32768 pixels; expected at most 25 million");
  const std::string png = PngOf(cv::Mat(20, 30, CV_8UC1, 7));
  for (size_t size = 8; size < png.size(); ++size) {
    CHECK(ErrorFor(png.substr(0, size)).find("damaged or cut off") != std::string::npos);
  }
}

}  // namespace
}  // namespace lapforge::tracks
