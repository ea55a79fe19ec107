// Tests finding roads in ROS maps: maps painted pixel by pixel from closed forms and from built-in
// tracks, as clean as a drawing and as rough as a scan.
#include "tracks/io/map_track.h"

#include <functional>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "sim/base/file_io.h"
#include "sim/base/rng.h"
#include "tests/base/temporary_folder.h"
#include "tests/tracks/track_samples.h"
#include "tracks/io/map_image.h"

namespace lapforge::tracks {
namespace {

constexpr uint8_t kFree = 254, kWall = 0, kUnknown = 205;
constexpr double kPixel_m = 0.05;

// A map of a square around the origin: unknown, but for the road and walls two pixels thick.
struct Painted {
  cv::Mat image;
  MapInfo info;
};

Painted Paint(double half_size_m, const std::function<bool(Vec2)>& is_on_road, double yaw_rad = 0) {
  Painted map;
  const int size_px = static_cast<int>(2 * half_size_m / kPixel_m);
  map.info.resolution_m = kPixel_m;
  map.info.origin = {Rotate({-half_size_m, -half_size_m}, yaw_rad), yaw_rad};
  map.image = cv::Mat(size_px, size_px, CV_8UC1, kUnknown);
  for (int row = 0; row < size_px; ++row) {
    for (int column = 0; column < size_px; ++column) {
      const Vec2 local_m = Vec2{column + 0.5, size_px - 0.5 - row} * kPixel_m;
      if (is_on_road(map.info.origin.ToWorld(local_m))) map.image.at<uint8_t>(row, column) = kFree;
    }
  }
  cv::Mat near_road;
  cv::dilate(map.image == kFree, near_road, cv::Mat::ones(5, 5, CV_8UC1));
  map.image.setTo(kWall, near_road & (map.image != kFree));
  return map;
}

std::function<bool(Vec2)> Circle(double radius_m, double width_m, Vec2 middle_m = {}) {
  return
      [=](Vec2 point_m) { return std::abs(Length(point_m - middle_m) - radius_m) < width_m / 2; };
}

std::function<bool(Vec2)> RoadOf(const Track& track, Vec2 offset_m) {
  return [=](Vec2 point_m) {
    const Vec2 place_m = point_m - offset_m;
    return track.IsOnRoad(place_m, track.Project(place_m));
  };
}

Track Read(const Painted& map) {
  const Result<TrackRows> rows = RowsFromMap(map.image, map.info, "my.yaml");
  INFO((rows.ok() ? "" : rows.error().message));
  REQUIRE(rows.ok());
  return MakeTrack(*rows);
}

std::string ErrorFor(const Painted& map) {
  const Result<TrackRows> rows = RowsFromMap(map.image, map.info, "my.yaml");
  REQUIRE_FALSE(rows.ok());
  return rows.error().message;
}

// A middle within 1 pixel and widths within 2, everywhere.
void CheckCircle(const Track& track, double radius_m, double width_m, Vec2 middle_m = {}) {
  CHECK(track.is_closed());
  CHECK(track.is_counter_clockwise());
  CHECK(track.length_m() == Approx(2 * kPi * radius_m).epsilon(0.01));
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const Waypoint row = track.waypoint(i);
    CHECK(std::abs(Length(row.center_m - middle_m) - radius_m) < kPixel_m);
    CHECK(std::abs(Length(row.left_m - row.right_m) - width_m) < 2 * kPixel_m);
    CHECK(std::abs(Length(row.left_m - middle_m) - radius_m + width_m / 2) < 1.5 * kPixel_m);
  }
}

// Random pixels of an image turned to a value: specks as scanners make them.
void Sprinkle(cv::Mat& image, int count, uint8_t value) {
  RngStream random(3, 0, 0, RngPurpose::kTest);
  for (int i = 0; i < count; ++i) {
    image.at<uint8_t>(random.Below(image.rows), random.Below(image.cols)) = value;
  }
}

TEST_CASE("a circle is found, whatever its picture's rotation") {
  for (const double yaw_rad : {0.0, 0.7, -2.0}) {
    INFO(yaw_rad);
    CheckCircle(Read(Paint(4, Circle(2, 0.8), yaw_rad)), 2, 0.8);
    CheckCircle(Read(Paint(6, Circle(2, 0.8, {1, -2}), yaw_rad)), 2, 0.8, {1, -2});
  }
}

TEST_CASE("the lap starts where the road is nearest to the origin") {
  const Track track = Read(Paint(6, Circle(2, 0.8, {0, -2.3})));
  CHECK(Length(track.waypoint(0).center_m - Vec2{0, -0.3}) < 0.15);
}

TEST_CASE("built-in tracks come back within a pixel, widths within two") {
  for (const std::string& name : BuiltInTrackNames()) {
    INFO(name);
    const Track track = *LoadBuiltInTrack(name);
    const Vec2 offset_m = -track.CenterAt(track.length_m() / 2) * 0.5;
    const Track found = Read(Paint(track.length_m() / 2.5, RoadOf(track, offset_m)));
    REQUIRE(found.is_closed());
    double worst_center_m = 0, worst_width_m = 0;
    for (int i = 0; i < found.num_waypoints(); ++i) {
      const Waypoint row = found.waypoint(i);
      const TrackPosition place = track.Project(row.center_m - offset_m);
      const HalfWidths expected = track.HalfWidthsAt(place.arc_length_m);
      const HalfWidths actual = found.HalfWidthsAt(found.waypoint_arc_length_m(i));
      worst_center_m = std::max(worst_center_m, std::abs(place.lateral_offset_m));
      worst_width_m = std::max(worst_width_m, std::abs(actual.left_m + actual.right_m -
                                                       expected.left_m - expected.right_m));
    }
    CHECK(worst_center_m < kPixel_m);
    CHECK(worst_width_m < 2 * kPixel_m);
    CHECK(found.length_m() == Approx(track.length_m()).epsilon(0.015));
  }
}

TEST_CASE("specks, free ground around the walls and a free infield do not matter") {
  Painted map = Paint(4, Circle(2, 0.8));
  SECTION("free ground on both sides") {
    map.image.setTo(kFree, map.image == kUnknown);
    CheckCircle(Read(map), 2, 0.8);
  }
  SECTION("free ground within an outermost wall") {
    map.image.setTo(kFree, map.image == kUnknown);
    cv::rectangle(map.image, {3, 3}, {map.image.cols - 4, map.image.rows - 4}, kWall);
    CheckCircle(Read(map), 2, 0.8);
  }
  SECTION("free specks off the road") {
    cv::Mat specks = map.image.clone();
    Sprinkle(specks, 2000, kFree);
    specks.copyTo(map.image, map.image == kUnknown);
    CheckCircle(Read(map), 2, 0.8);
  }
  SECTION("occupied specks on the road") {
    Sprinkle(map.image, 100, kWall);
    const LogLines log;
    const Track track = Read(map);
    CHECK(log.text().find("small obstacles on the road are left out") != std::string::npos);
    // where a speck touches a wall, the road is narrower by it
    CHECK(track.length_m() == Approx(4 * kPi).epsilon(0.02));
  }
}

TEST_CASE("rough walls move the middle by less than a pixel") {
  RngStream random(5, 0, 0, RngPurpose::kTest);
  const Painted map = Paint(4, [&](Vec2 point_m) {
    const double noise_m = kPixel_m * random.Uniform(-0.5, 0.5);
    return std::abs(Length(point_m) - 2) < 0.4 + noise_m;
  });
  const Track track = Read(map);
  for (int i = 0; i < track.num_waypoints(); ++i) {
    CHECK(std::abs(Length(track.waypoint(i).center_m) - 2) < kPixel_m);
  }
}

TEST_CASE("negated maps and thresholds mean what ROS says") {
  Painted map = Paint(4, Circle(2, 0.8));
  map.image = 255 - map.image;
  map.info.is_negated = true;
  CheckCircle(Read(map), 2, 0.8);
  map.info.free_thresh = 0.2;  // (255 - 205) / 255 = 0.196: unknown becomes free
  CheckCircle(Read(map), 2, 0.8);
}

TEST_CASE("a map without a ring is refused in a line") {
  const std::string expected =
      "my.yaml: no closed road in the map; expected one ring of free (white) pixels between an "
      "inner and an outer wall, away from the picture's edges";
  CHECK(ErrorFor(Paint(2, [](Vec2) { return false; })) == expected);
  CHECK(ErrorFor(Paint(2, [](Vec2) { return true; })) == expected);
  CHECK(ErrorFor(Paint(2, [](Vec2 p) { return Length(p) < 1; })) == expected);
  CHECK(ErrorFor(Paint(2, Circle(1.9, 0.8))) == expected);
  const auto gap = [](Vec2 p) { return Circle(2, 0.8)(p) && p.x < 1.4; };
  CHECK(ErrorFor(Paint(4, gap)) == expected);
  const auto eight = [](Vec2 p) {
    return Circle(1.2, 0.5, {1.2, 0})(p) || Circle(1.2, 0.5, {-1.2, 0})(p);
  };
  CHECK(ErrorFor(Paint(4, eight)) == expected);
  for (const int size_px : {1, 2, 3}) {
    CHECK(ErrorFor({cv::Mat(size_px, size_px, CV_8UC1, kFree), MapInfo{"", 0.05, {}}}) == expected);
  }
}

TEST_CASE("a map is read from its two files") {
  const TemporaryFolder folder;
  Painted map = Paint(4, Circle(2, 0.8));
  map.info.image = "walls.png";
  std::vector<uint8_t> png;
  REQUIRE(cv::imencode(".png", map.image, png));
  const std::filesystem::path file = folder.path() / "ring.yaml";
  REQUIRE(WriteFileAtomic(file, TextOf(map.info)).ok());
  CHECK(LoadTrackFile(file).error().message.find((folder.path() / "walls.png").string()) !=
        std::string::npos);
  REQUIRE(WriteFileAtomic(folder.path() / "walls.png", std::string(png.begin(), png.end())).ok());
  const Result<Track> track = LoadTrackFile(file);
  REQUIRE(track.ok());
  CheckCircle(*track, 2, 0.8);
  CHECK(track->name() == "ring");

  std::filesystem::rename(folder.path() / "walls.png", folder.path() / "ring.png");
  const LogLines log;
  CheckCircle(*LoadTrackFile(file), 2, 0.8);
  CHECK(log.text().find("ring.png is read in its place") != std::string::npos);
}

}  // namespace
}  // namespace lapforge::tracks
