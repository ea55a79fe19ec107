// Tests tracks drawn in text: shapes, widths, closing, and every refusal with its line.
#include <algorithm>

#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

Track Parse(const std::string& text) {
  const Result<Track> track = ParseTextprotoTrack(text, "my.textproto");
  INFO((track.ok() ? "" : track.error().message));
  REQUIRE(track.ok());
  return *track;
}

std::string ErrorFor(const std::string& text) {
  const Result<Track> track = ParseTextprotoTrack(text, "my.textproto");
  REQUIRE_FALSE(track.ok());
  CHECK(track.error().message.find('\n') == std::string::npos);
  return track.error().message;
}

std::string Straight(double length_m) {
  return StrCat("segment { straight { length_m: ", length_m, " } }\n");
}

std::string Arc(double radius_m, double angle_deg) {
  return StrCat("segment { arc { radius_m: ", radius_m, " angle_deg: ", angle_deg, " } }\n");
}

TEST_CASE("two straights and two half circles make a stadium") {
  const Track track =
      Parse("width_m: 0.8\n" + Straight(3) + Arc(1, 180) + Straight(3) + Arc(1, 180));
  CHECK(track.name() == "my");
  CHECK(track.is_closed());
  CHECK(track.is_counter_clockwise());
  CHECK(track.inner_is_left());
  CHECK(track.length_m() == Approx(6 + 2 * kPi).epsilon(1e-3));
  CHECK(track.waypoint(0).center_m == Vec2{0, 0});
  CHECK(track.waypoint(0).left_m == Vec2{0, 0.4});
  CHECK(track.Project({1.5, 2}).lateral_offset_m == Approx(0).margin(1e-9));
  CHECK(track.CurvatureAt(3 + kPi / 2) == Approx(1).epsilon(1e-3));
  CHECK(track.HalfWidthsAt(7).right_m == Approx(0.4).margin(1e-3));
  CHECK(track.CenterAt(0.15).x == Approx(0.15).margin(0.003));
}

TEST_CASE("a right-hand track is clockwise and its inner border on the right") {
  const Track track =
      Parse("width_m: 0.8 " + Straight(3) + Arc(1, -180) + Straight(3) + Arc(1, -180));
  CHECK_FALSE(track.is_counter_clockwise());
  CHECK_FALSE(track.inner_is_left());
  CHECK(track.waypoint(0).left_m == Vec2{0, 0.4});
}

TEST_CASE("open tracks, names, spacing and widths") {
  const Track track = Parse(
      "name: 'drag strip' description: 'straight on' width_m: 1 spacing_m: 0.5 is_open: true "
      "segment { straight { length_m: 4 } end_width_m: 0.6 } " +
      Straight(4));
  CHECK(track.name() == "drag strip");
  CHECK(track.description() == "straight on");
  CHECK_FALSE(track.is_closed());
  CHECK(track.num_waypoints() == 17);
  CHECK(track.length_m() == Approx(8));
  // the nearest border point of a narrowing road lies a little ahead
  CHECK(track.HalfWidthsAt(0).left_m == Approx(0.5).margin(1e-3));
  CHECK(track.HalfWidthsAt(2).left_m == Approx(0.4).margin(0.01));
  CHECK(track.HalfWidthsAt(6).right_m == Approx(0.3));
}

TEST_CASE("transitions join their neighbours' curvatures") {
  const Track track = Parse("width_m: 0.6 spacing_m: 0.02 is_open: true " + Straight(2) +
                            "segment { transition { length_m: 2 } }" + Arc(1, 90));
  CHECK(track.CurvatureAt(1) == Approx(0).margin(1e-9));
  CHECK(track.CurvatureAt(3) == Approx(0.5).margin(1e-3));
  CHECK(track.CurvatureAt(4.7) == Approx(1).margin(1e-3));
}

TEST_CASE("fit closes a track; what is left of a small gap is spread") {
  const std::string fitted = Parse("width_m: 0.6 " + Straight(3) + Arc(1, 180) +
                                   "segment { straight { length_m: 1 fit: true } }" +
                                   "segment { arc { radius_m: 1 angle_deg: 170 fit: true } }")
                                 .name();
  CHECK(fitted == "my");
  const Track track =
      Parse("width_m: 0.6 " + Straight(3) + Arc(1, 180) + Straight(3.04) + Arc(1, 180));
  CHECK(track.is_closed());
  CHECK(track.length_m() == Approx(6.02 + 2 * kPi).margin(0.03));
}

TEST_CASE("a track that does not close is refused with its gap") {
  CHECK(ErrorFor("width_m: 0.6\n" + Straight(3) + Arc(1, 180) + Straight(2) + Arc(1, 170)) ==
        "my.textproto:5: the ends are 0.826 m and 10.00 degrees apart; change the segments or mark "
        "more of them fit: true (or is_open: true)");
  CHECK(ErrorFor("width_m: 0.6 " + Straight(3) + "segment { straight { length_m: 1 fit: true } }" +
                 Arc(1, 360))
            .find("no sensible value closes the track") != std::string::npos);
}

TEST_CASE("points with their half-widths make a track") {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    const Vec2 p = 2 * DirectionOf(2 * kPi * i / 60);
    text += StrCat("point { x_m: ", p.x, " y_m: ", p.y, " left_m: 0.3 right_m: 0.5 }\n");
  }
  const Track track = Parse(text);
  CHECK(track.is_closed());
  CHECK(track.num_waypoints() == 61);
  CHECK(Length(track.waypoint(7).left_m) == Approx(1.7));
  CHECK(Length(track.waypoint(7).right_m) == Approx(2.5));
  CHECK(Parse("is_open: true " + text).num_waypoints() == 60);

  // the first point may be repeated at the end
  CHECK(Parse(text + text.substr(0, text.find('\n'))).num_waypoints() == 61);
}

TEST_CASE("mistakes are named with line, key and the nearest known key") {
  const std::string shape = Straight(3) + Arc(1, 180) + Straight(3) + Arc(1, 180);
  CHECK(ErrorFor("widht_m: 0.8\n" + shape).find("my.textproto:1: ") == 0);
  CHECK(ErrorFor("widht_m: 0.8\n" + shape).find("(did you mean 'width_m'?)") != std::string::npos);
  CHECK(ErrorFor("width_m: 0.8\n\nsegment { arc { radius: 1 } }").find("my.textproto:3: ") == 0);
  CHECK(ErrorFor("width_m: 0.8\nsegment { arc { radius: 1 } }").find("'radius_m'") !=
        std::string::npos);
  CHECK(ErrorFor("width_m: wide\n" + shape).find("my.textproto:1: ") == 0);
  CHECK(ErrorFor("") == "my.textproto:1: expected either segments or points");
  CHECK(ErrorFor(shape) == "my.textproto:1: width_m = 0 is outside 0.05 .. 100");
  CHECK(ErrorFor("width_m: nan " + shape) ==
        "my.textproto:1: width_m = nan is outside 0.05 .. 100");
  CHECK(ErrorFor("width_m: 1 spacing_m: 0 " + shape) ==
        "my.textproto:1: spacing_m = 0 is outside 0.01 .. 10");
  CHECK(ErrorFor("width_m: 1\nsegment {}") ==
        "my.textproto:2: an empty segment; expected a straight, an arc or a transition");
  CHECK(ErrorFor("width_m: 1\n" + Straight(-1)) ==
        "my.textproto:2: length_m = -1 is outside 0.001 .. 1000");
  CHECK(ErrorFor("width_m: 1\n" + Straight(1) + Arc(0.4, 90)) ==
        "my.textproto:3: radius_m = 0.4 is not more than half the road's width, 0.5");
  CHECK(ErrorFor("width_m: 1\n" + Arc(2, 0)).find("my.textproto:2: angle_deg = 0 is outside") == 0);
  CHECK(ErrorFor("width_m: 1\nsegment { straight { length_m: 1 } end_width_m: 0.8 }") ==
        "my.textproto:2: the road ends 0.8 m wide but begins 1 m wide; set end_width_m of the last "
        "segment");
  CHECK(ErrorFor("width_m: 1\nsegment { transition { length_m: 1 } }\n"
                 "segment { transition { length_m: 1 } }")
            .find("my.textproto:2: a transition beside a transition") == 0);
  CHECK(ErrorFor("width_m: 1\npoint { x_m: 1 left_m: 1 right_m: 1 }") ==
        "my.textproto:2: 1 different points; expected 3 .. 4999");
}

TEST_CASE("roads whose borders cross are refused with the place") {
  // a loop that crosses its own entry
  CHECK(ErrorFor("width_m: 0.6 is_open: true " + Straight(3) + Arc(1, 270) + Straight(4))
            .find("the borders cross near x = 1.") != std::string::npos);
  // parallel roads that overlap
  CHECK(ErrorFor("width_m: 1.5 is_open: true " + Straight(3) + Arc(0.8, 180) + Arc(0.8, -170) +
                 Straight(1) + Arc(1, 360))
            .find("the borders cross") != std::string::npos);
}

TEST_CASE("what a file can ask for is bounded") {
  std::string many = "width_m: 0.6 is_open: true ";
  for (int i = 0; i < 501; ++i) many += Straight(0.01);
  CHECK(ErrorFor(many).find("501 segments; at most 500") != std::string::npos);
  CHECK(ErrorFor("width_m: 0.6 is_open: true " + Straight(1000) + Straight(1000) + Straight(1))
            .find("2001 m long; at most 2000") != std::string::npos);
  CHECK(ErrorFor("width_m: 0.6 spacing_m: 0.01 is_open: true " + Straight(1000))
            .find("raise spacing_m") != std::string::npos);
}

TEST_CASE("cut and flipped texts are read or refused, never worse") {
  const std::string whole = "width_m: 0.8\n" + Straight(3) + Arc(1, 180) +
                            "segment { straight { length_m: 3 fit: true } }\n" + Arc(1, 180);
  for (size_t size = 0; size < whole.size(); ++size) {
    const Result<Track> track = ParseTextprotoTrack(whole.substr(0, size), "cut.textproto");
    if (!track.ok()) CHECK(track.error().message.find("cut.textproto:") == 0);
  }
  RngStream random(2, 0, 0, RngPurpose::kTest);
  for (int i = 0; i < 2000; ++i) {
    std::string text = whole;
    const uint32_t num_flips = 1 + random.Below(3);
    for (uint32_t k = 0; k < num_flips; ++k) {
      text[random.Below(static_cast<uint32_t>(text.size()))] ^=
          static_cast<char>(1u << random.Below(8));
    }
    const Result<Track> track = ParseTextprotoTrack(text, "flip.textproto");
    if (track.ok()) continue;
    const std::string& message = track.error().message;
    CHECK(std::none_of(message.begin(), message.end(), [](char c) { return c < ' ' || c > '~'; }));
  }
}

}  // namespace
}  // namespace lapforge::tracks
