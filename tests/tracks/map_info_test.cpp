// Tests reading and writing the .yaml files of ROS maps.
#include "tracks/io/map_info.h"

#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

MapInfo Parse(const std::string& text) {
  const Result<MapInfo> info = ParseMapInfo(text, "my.yaml");
  INFO((info.ok() ? "" : info.error().message));
  REQUIRE(info.ok());
  return *info;
}

std::string ErrorFor(const std::string& text) {
  const LogLines quiet;
  const Result<MapInfo> info = ParseMapInfo(text, "my.yaml");
  REQUIRE_FALSE(info.ok());
  return info.error().message;
}

const std::string kNeeded = "image: a.png\nresolution: 0.05\norigin: [1, 2, 0]\n";

TEST_CASE("what map_saver and PyYAML write is read") {
  MapInfo info = Parse(
      "image: levine.pgm\nresolution: 0.050000\norigin: [-51.224998, -51.224998, 0.000000]\n"
      "negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n\n");
  CHECK(info.image == "levine.pgm");
  CHECK(info.resolution_m == 0.05);
  CHECK(info.origin.position_m == Vec2{-51.224998, -51.224998});
  CHECK(info.origin.yaw_rad == 0);
  CHECK_FALSE(info.is_negated);
  CHECK(info.free_thresh == 0.196);

  info = Parse(
      "%YAML 1.2\r\n---\r\nfree_thresh: 0.25 # of 1\r\nimage: \"with # sign.png\"\r\nmode: trinary"
      "\r\nnegate: 1\r\norigin:\r\n- -3.5\r\n- 2.0e-1\r\n- 1.5\r\nresolution: 0.1\r\n...\r\n");
  CHECK(info.image == "with # sign.png");
  CHECK(info.origin == Pose2{{-3.5, 0.2}, 1.5});
  CHECK(info.is_negated);
  CHECK(info.free_thresh == 0.25);
}

TEST_CASE("faults are told with their line and key") {
  CHECK(ErrorFor("") == "my.yaml: no key image; a map has image, resolution and origin");
  CHECK(ErrorFor("image: a.png\nresolutoin: 1\norigin: [0, 0, 0]") ==
        "my.yaml: no key resolution (did you mean 'resolutoin'?); a map has image, resolution and "
        "origin");
  CHECK(ErrorFor("image:\nresolution: 1\n") == "my.yaml:1: image has 0 values; expected 1");
  CHECK(ErrorFor("image: a.png\nresolution: 1\norigin: [0, 0]\n") ==
        "my.yaml:3: origin has 2 values; expected 3");
  CHECK(ErrorFor("image: a.png\nresolution: five\n") ==
        "my.yaml:2: resolution is 'five'; expected a number of at most 10");
  CHECK(ErrorFor("image: a.png\nresolution: 0\norigin: [0, 0, 0]") ==
        "my.yaml:2: resolution is '0'; expected metres a pixel, 0.0001 .. 10");
  CHECK(ErrorFor("image: a.png\nresolution: nan\n").find("my.yaml:2: resolution is 'nan'") == 0);
  CHECK(ErrorFor("image: a.png\nresolution: 1\norigin: [0, 1e308, 0]").find("my.yaml:3: ") == 0);
  CHECK(ErrorFor(kNeeded + "negate: 2") == "my.yaml:4: negate is '2'; expected 0 or 1");
  CHECK(ErrorFor(kNeeded + "free_thresh: 0").find("my.yaml:4: free_thresh is '0'") == 0);
  CHECK(ErrorFor(kNeeded + "occupied_thresh: abc").find("my.yaml:4: occupied_thresh is 'abc'") ==
        0);
  CHECK(ErrorFor(kNeeded + "mode: raw") == "my.yaml:4: mode is 'raw'; expected trinary or scale");
  CHECK(ErrorFor("hello\n") == "my.yaml:1: 'hello'; expected a line such as resolution: 0.05");
}

TEST_CASE("an unknown key is reported with the nearest one") {
  const LogLines log;
  Parse(kNeeded + "free_tresh: 0.3\n");
  CHECK(
      log.text() ==
      "warning: my.yaml:4: unknown key 'free_tresh' (did you mean 'free_thresh'?); passed over\n");
}

TEST_CASE("what is written is read back") {
  const MapInfo info{"oval.pgm", 0.02, {{-1.24, 3.5}, 0}, false, 0.196};
  const std::string text = TextOf(info);
  CHECK(IsMapInfo(text));
  const MapInfo reread = Parse(text);
  CHECK(reread.image == info.image);
  CHECK(reread.resolution_m == info.resolution_m);
  CHECK(reread.origin == info.origin);
  CHECK_FALSE(IsMapInfo("width_m: 1 is_open: true segment { straight { length_m: 3 } }"));
}

}  // namespace
}  // namespace lapforge::tracks
