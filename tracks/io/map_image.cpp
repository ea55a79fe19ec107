#include "tracks/io/map_image.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <opencv2/imgcodecs.hpp>

namespace lapforge::tracks {
namespace {

constexpr std::string_view kPngMagic = "\x89PNG\r\n\x1a\n";

Result<void> CheckSize(int64_t width, int64_t height, const std::string& source) {
  const bool is_fitting = width > 0 && height > 0 && width <= kMaxMapPixels &&
                          height <= kMaxMapPixels && width * height <= kMaxMapPixels;
  if (is_fitting) return {};
  return ErrorOf(source, ": a picture of ", width, " x ", height, " pixels; expected at most ",
                 kMaxMapPixels / 1'000'000, " million");
}

// Reads a PGM file's numbers: words between white space and comments.
class PgmReader {
 public:
  explicit PgmReader(std::string_view bytes) : rest_(bytes) {}

  // The next number; -1 where there is none.
  int Next() {
    constexpr std::string_view kSpace = " \t\r\n\v\f";
    while (!rest_.empty()) {
      if (rest_[0] == '#') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (kSpace.find(rest_[0]) != std::string_view::npos) {
        rest_.remove_prefix(1);
      } else {
        break;
      }
    }
    const size_t num_digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    const std::optional<int64_t> number = ParseInt64(rest_.substr(0, num_digits));
    rest_.remove_prefix(num_digits);
    return number && *number <= INT32_MAX ? static_cast<int>(*number) : -1;
  }

  // The bytes behind the header: one white space ends it.
  std::string_view Data() const { return rest_.empty() ? rest_ : rest_.substr(1); }

 private:
  std::string_view rest_;
};

Result<cv::Mat> DecodePgm(std::string_view bytes, const std::string& source) {
  const bool is_binary = bytes[1] == '5';
  PgmReader reader(bytes.substr(2));
  const int width = reader.Next(), height = reader.Next(), white = reader.Next();
  LAPFORGE_CHECK_OK(CheckSize(width, height, source));
  if (white < 1 || white > 65535) {
    return ErrorOf(source, ": white is ", white, "; a PGM file has 1 .. 65535");
  }
  const std::string_view data = reader.Data();
  const size_t sample_size = !is_binary || white < 256 ? 1 : 2;
  const size_t num_pixels = size_t(width) * height;
  if (data.size() < num_pixels * sample_size) {
    return ErrorOf(source, ": the picture is cut off: ", width, " x ", height, " pixels need ",
                   num_pixels * sample_size, " bytes, there are ", data.size());
  }
  cv::Mat image(height, width, CV_8UC1);
  for (size_t i = 0; i < num_pixels; ++i) {
    int value = 0;
    if (!is_binary) {
      value = reader.Next();
    } else if (sample_size == 1) {
      value = static_cast<uint8_t>(data[i]);
    } else {
      value = static_cast<uint8_t>(data[2 * i]) << 8 | static_cast<uint8_t>(data[2 * i + 1]);
    }
    if (value < 0) return ErrorOf(source, ": pixel ", i, " is no number");
    image.data[i] = static_cast<uint8_t>(std::min(value, white) * int64_t{255} / white);
  }
  return image;
}

// The checksum at the end of each part of a PNG file.
uint32_t Crc32(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

uint32_t BigEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (const char byte : bytes.substr(0, 4)) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

// Walks through the parts of a PNG file, so that the decoder meets whole ones only.
Result<void> CheckPng(std::string_view bytes, const std::string& source) {
  constexpr size_t kOverhead = 12;  // of a part: length, type, checksum
  constexpr size_t kHeaderSize = 13;
  std::string_view rest = bytes.substr(kPngMagic.size());
  bool is_first = true;
  while (rest.size() >= kOverhead) {
    const size_t size = BigEndian(rest);
    if (size > rest.size() - kOverhead) break;
    const std::string_view type_and_data = rest.substr(4, size + 4);
    const std::string_view type = type_and_data.substr(0, 4);
    if (Crc32(type_and_data) != BigEndian(rest.substr(size + 8))) break;
    if (is_first) {
      if (type != "IHDR" || size != kHeaderSize) break;
      LAPFORGE_CHECK_OK(CheckSize(BigEndian(type_and_data.substr(4)),
                                  BigEndian(type_and_data.substr(8)), source));
    }
    if (type == "IEND") return {};
    is_first = false;
    rest.remove_prefix(size + kOverhead);
  }
  return ErrorOf(source, ": the PNG file is damaged or cut off, ", rest.size(),
                 " bytes before its end");
}

Result<cv::Mat> DecodePng(std::string_view bytes, const std::string& source) {
  LAPFORGE_CHECK_OK(CheckPng(bytes, source));
  cv::Mat image;
  try {
    const cv::Mat data(1, static_cast<int>(bytes.size()), CV_8UC1,
                       const_cast<char*>(bytes.data()));  // only read
    image = cv::imdecode(data, cv::IMREAD_GRAYSCALE);
  } catch (const cv::Exception&) {
    image.release();
  }
  if (image.empty() || image.type() != CV_8UC1) {
    return ErrorOf(source, ": the PNG file cannot be decoded");
  }
  return image;
}

}  // namespace

bool IsMapImage(std::string_view bytes) {
  const bool is_pgm = StartsWith(bytes, "P2") || StartsWith(bytes, "P5");
  const bool ends_word = bytes.size() > 2 && (bytes[2] == '#' || bytes[2] == ' ' ||
                                              (bytes[2] >= '\t' && bytes[2] <= '\r'));
  return (is_pgm && ends_word) || StartsWith(bytes, kPngMagic);
}

Result<cv::Mat> DecodeMapImage(std::string_view bytes, const std::string& source) {
  if (!IsMapImage(bytes)) return ErrorOf(source, ": neither a .pgm nor a .png picture");
  return bytes[0] == 'P' ? DecodePgm(bytes, source) : DecodePng(bytes, source);
}

std::string PgmOf(const cv::Mat& image) {
  std::string bytes = StrCat("P5\n", image.cols, " ", image.rows, "\n255\n");
  for (int row = 0; row < image.rows; ++row) {
    bytes.append(image.ptr<char>(row), static_cast<size_t>(image.cols));
  }
  return bytes;
}

}  // namespace lapforge::tracks
