// Tests that damaged files of every kind are read as a valid track or refused with one line: all
// truncations, every byte changed in several ways, absurd numbers and sizes.
#include <functional>
#include <opencv2/imgcodecs.hpp>

#include "sim/base/file_io.h"
#include "tests/base/temporary_folder.h"
#include "tests/tracks/track_samples.h"
#include "tracks/io/csv_track.h"
#include "tracks/io/file_kind.h"
#include "tracks/io/map_image.h"
#include "tracks/io/map_track.h"
#include "tracks/io/track_text.h"

namespace lapforge::tracks {
namespace {

using Reader = std::function<Result<Track>(const std::string&)>;

void CheckOutcome(const Result<Track>& track) {
  if (track.ok()) {
    const bool is_valid =
        track->num_segments() >= 1 && std::isfinite(track->length_m()) && track->length_m() > 0;
    if (!is_valid) FAIL("a track without length");
    return;
  }
  const std::string& message = track.error().message;
  if (message.empty() || message.find('\n') != std::string::npos || message.size() > 1000) {
    FAIL(message);
  }
}

// Also where the damaged bytes would be taken for another kind of file.
void Damage(const std::string& whole, const Reader& reader) {
  const LogLines quiet;
  REQUIRE(reader(whole).ok());
  for (size_t size = 0; size < whole.size(); ++size) CheckOutcome(reader(whole.substr(0, size)));
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      CheckOutcome(reader(bytes));
    }
  }
}

Result<Track> ReadAny(const std::string& bytes) {
  switch (KindOf(bytes, "t")) {
    case FileKind::kNpy:
      return ParseNpyTrack(bytes, "t");
    case FileKind::kCsv:
      return ParseCsvTrack(bytes, "t", {0.5, ""});
    case FileKind::kTextproto:
      return ParseTextprotoTrack(bytes, "t");
    default:
      return ErrorOf("not a file of one track");
  }
}

Track SmallTrack() { return MakeTrack(CircleRows(1, 0.5, 8)); }

TEST_CASE("damaged .npy files") { Damage(TrackToNpy(SmallTrack()), ReadAny); }

TEST_CASE("damaged CSV files") {
  Damage(CsvFromTrack(SmallTrack()), ReadAny);
  Damage("s_m;x_m;y_m;psi_rad;kappa_radpm;vx_mps;ax_mps2\n0;0;0;0;0;1;0\n1;1;0;0;0;1;0\n", ReadAny);
}

TEST_CASE("damaged .textproto files") {
  Damage(TextprotoFromTrack(SmallTrack()), ReadAny);
  Damage(
      "width_m: 0.8\nsegment { arc { radius_m: 1 angle_deg: 180 } }\n"
      "segment { arc { radius_m: 1 angle_deg: 180 } end_width_m: 0.8 }\n",
      ReadAny);
}

// A ring in a picture of 26 x 26 pixels.
TrackMap SmallMap() {
  Result<TrackMap> map = MapFromTrack(MakeTrack(CircleRows(0.5, 0.4, 12)), 0.1);
  REQUIRE(map.ok());
  return *map;
}

Result<Track> ReadMap(const std::string& yaml, const std::string& picture) {
  LAPFORGE_TRY(const MapInfo info, ParseMapInfo(yaml, "t"));
  LAPFORGE_TRY(const cv::Mat image, DecodeMapImage(picture, "t"));
  LAPFORGE_TRY(const TrackRows rows, RowsFromMap(image, info, "t"));
  return Track::FromRows(rows);
}

TEST_CASE("damaged maps") {
  TrackMap map = SmallMap();
  map.info.image = "t.pgm";
  const std::string yaml = TextOf(map.info);
  const std::string pgm = PgmOf(map.image);
  Damage(yaml, [&](const std::string& bytes) { return ReadMap(bytes, pgm); });
  Damage(pgm, [&](const std::string& bytes) { return ReadMap(yaml, bytes); });
  std::vector<uint8_t> png;
  REQUIRE(cv::imencode(".png", map.image, png));
  Damage({png.begin(), png.end()}, [&](const std::string& bytes) { return ReadMap(yaml, bytes); });
}

TEST_CASE("absurd numbers are refused in every kind of file") {
  const LogLines quiet;
  for (const std::string number : {"nan", "inf", "-inf", "1e308", "-1e308", "123456"}) {
    INFO(number);
    const std::string csv = StrCat("0,0,1,1\n1,", number, ",1,1\n2,0,1,1\n");
    CHECK_FALSE(ParseCsvTrack(csv, "t").ok());
    const std::string width = StrCat("0,0,1,1\n1,0,1,", number, "\n2,0,1,1\n");
    CHECK_FALSE(ParseCsvTrack(width, "t").ok());
    for (const std::string key : {"x_m", "y_m", "left_m", "right_m", "left { x_m", "right { y_m"}) {
      INFO(key);
      const std::string end = key.find('{') == std::string::npos ? " }" : " } }";
      CHECK_FALSE(ParseTextprotoTrack("is_open: true point { left_m: 1 right_m: 1 }\npoint { x_m: "
                                      "1 left_m: 1 right_m: 1 }\npoint { " +
                                          key + ": " + number + end,
                                      "t")
                      .ok());
    }
    const std::string yaml =
        StrCat("image: t.pgm\nresolution: 0.1\norigin: [0, ", number, ", 0]\n");
    CHECK_FALSE(ReadMap(yaml, PgmOf(SmallMap().image)).ok());
  }
}

TEST_CASE("absurd sizes are refused before they cost anything") {
  const std::string table = TrackToNpy(SmallTrack());
  std::string huge = table;
  huge.replace(huge.find("(9, 6)"), 6, "(22369621, 6)");
  CHECK_FALSE(ParseNpyTrack(huge, "t").ok());

  std::string points = "is_open: true\n";
  for (int i = 0; i < 60000; ++i) points += "point { x_m: 1 left_m: 1 right_m: 1 }\n";
  CHECK(ParseTextprotoTrack(points, "t").error().message ==
        "t:60001: 60000 different points; expected 2 .. 4999");

  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "t.textproto";
  REQUIRE(WriteFileAtomic(file, std::string(5 << 20, ' ')).ok());
  CHECK(LoadTrackFile(file).error().message.find(file.string()) != std::string::npos);
}

// A picture of the greatest size, full of the finest pattern.
TEST_CASE("the worst picture is refused in bounded time") {
  cv::Mat image(5000, 5000, CV_8UC1);
  for (int row = 0; row < image.rows; ++row) {
    for (int column = 0; column < image.cols; ++column) {
      image.at<uint8_t>(row, column) = (row + column) % 2 == 0 ? 255 : 0;
    }
  }
  CHECK_FALSE(RowsFromMap(image, MapInfo{"t", 0.05, {}}, "t").ok());
}

}  // namespace
}  // namespace lapforge::tracks
