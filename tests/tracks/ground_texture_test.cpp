// Tests the painted ground: areas against the shoelace formula, colours where they must be, dashes,
// mip levels, orientation, odd tracks, and refusals.
#include "tracks/ground_texture.h"

#include <opencv2/imgcodecs.hpp>

#include "tests/base/temporary_folder.h"
#include "tests/tracks/track_samples.h"
#include "tracks/geometry/polyline.h"

namespace lapforge::tracks {
namespace {

// Road and field only, black on white.
GroundStyle PlainStyle() {
  GroundStyle style;
  style.format = TextureFormat::kGray;
  style.border_width_m = style.center_width_m = style.start_width_m = 0;
  style.field = {0, 0, 0};
  style.road = {255, 255, 255};
  return style;
}

GroundTexture Paint(const Track& track, const GroundStyle& style = {}) {
  const Result<GroundTexture> texture = PaintGround(track, style);
  INFO((texture.ok() ? "" : texture.error().message));
  REQUIRE(texture.ok());
  return *texture;
}

// The colour at a point of the world, from the definition of the levels.
Rgb ColorAt(const GroundTexture& texture, Vec2 point_m, int level_index = 0) {
  const TextureLevel& level = texture.levels[level_index];
  const auto x = static_cast<int>(std::floor((point_m.x - level.origin_m.x) / level.texel_m));
  const auto y = static_cast<int>(std::floor((point_m.y - level.origin_m.y) / level.texel_m));
  if (x < 0 || y < 0 || x >= level.width_px || y >= level.height_px) return texture.field;
  const size_t texel = static_cast<size_t>(y) * level.width_px + x;
  if (texture.format == TextureFormat::kGray) {
    const uint8_t gray = level.texels[texel];
    return {gray, gray, gray};
  }
  return {level.texels[3 * texel], level.texels[3 * texel + 1], level.texels[3 * texel + 2]};
}

bool AreEqual(Rgb a, Rgb b) { return a.red == b.red && a.green == b.green && a.blue == b.blue; }

// The brightness of a gray level, its sum over all texels (in square metres of white) and centroid.
struct Moments {
  double area_m2 = 0;
  Vec2 centroid_m;
};

Moments MomentsOf(const TextureLevel& level) {
  double sum = 0;
  Vec2 weighted;
  for (int y = 0; y < level.height_px; ++y) {
    for (int x = 0; x < level.width_px; ++x) {
      const double share = level.texels[static_cast<size_t>(y) * level.width_px + x] / 255.0;
      sum += share;
      weighted += share * Vec2{x + 0.5, y + 0.5};
    }
  }
  return {sum * level.texel_m * level.texel_m, level.origin_m + level.texel_m * weighted / sum};
}

double ShoelaceArea(const std::vector<Vec2>& ring) {
  double twice = 0;
  for (size_t i = 0; i < ring.size(); ++i) twice += Cross(ring[i], ring[(i + 1) % ring.size()]);
  return std::abs(twice) / 2;
}

TrackRows Shifted(TrackRows rows, Vec2 by_m) {
  for (auto* column : {&rows.center_m, &rows.inner_m, &rows.outer_m}) {
    for (Vec2& point : *column) point += by_m;
  }
  return rows;
}

TEST_CASE("the road has its polygon's area and lies where the polygon lies") {
  const Vec2 centers_m[] = {{0, 0}, {0.0013, -7.7721}, {9e4, -9e4}};
  for (const Vec2 center_m : centers_m) {
    for (const double texel_m : {0.005, 0.02}) {
      const TrackRows rows = Shifted(CircleRows(2, 1, 60), center_m);
      GroundStyle style = PlainStyle();
      style.texel_m = texel_m;
      const Moments road = MomentsOf(Paint(MakeTrack(rows), style).levels[0]);
      // OpenCV also fills the samples that an outline touches: about half a one, a quarter of a
      // texel each
      const double expected_m2 = ShoelaceArea(Shifted(rows, -center_m).outer_m) -
                                 ShoelaceArea(Shifted(rows, -center_m).inner_m);
      const double edges_m = 2 * kPi * (2.5 + 1.5);
      CHECK(std::abs(road.area_m2 - expected_m2) < edges_m * 0.7 * texel_m / 4);
      CHECK(Length(road.centroid_m - center_m) < 0.05 * texel_m);
    }
  }
}

TEST_CASE("a straight road shows every paint where it must be") {
  const GroundStyle style;
  const GroundTexture texture = Paint(MakeTrack(StraightRows(3, 0.6, 10)));
  const auto check = [&](Vec2 point_m, Rgb expected) {
    INFO(point_m.x << " " << point_m.y);
    CHECK(AreEqual(ColorAt(texture, point_m), expected));
  };
  for (const double side : {-1.0, 1.0}) {
    check({1.5, side * 0.31}, style.field);
    check({1.5, side * 0.29}, style.border);
    check({1.5, side * 0.26}, style.border);
    check({1.5, side * 0.24}, style.road);
    check({1.5, side * 0.12}, style.road);
    check({1.5, side * 0.02}, style.road);
    check({-0.01, side * 0.2}, style.field);
    check({0.01, side * 0.2}, style.start);
    check({0.04, side * 0.2}, style.start);
    check({0.06, side * 0.2}, style.road);
    check({2.99, side * 0.2}, style.road);
    check({3.01, side * 0.2}, style.field);
  }
  // ten dashes in 3 m: from a quarter to three quarters of each 0.3 m
  for (int i = 0; i < 10; ++i) {
    const double x = 0.3 * i;
    for (const double y : {-0.01, 0.0, 0.01}) {
      if (i > 0) check({x + 0.065, y}, style.road);
      check({x + 0.085, y}, style.center);
      check({x + 0.215, y}, style.center);
      check({x + 0.235, y}, style.road);
    }
  }
  CHECK(AreEqual(texture.field, style.field));
  check({100, 100}, style.field);
}

TEST_CASE("row 0 is the southernmost and the margin is all around") {
  GroundStyle style = PlainStyle();
  style.margin_m = 0.5;
  TrackRows rows = StraightRows(2, 0.6, 4);
  for (Vec2& point : rows.inner_m) point.y += 0.4;  // wider in the north
  const TextureLevel level = Paint(MakeTrack(rows), style).levels[0];
  CHECK(level.origin_m.x == Approx(-0.5));
  CHECK(level.origin_m.y == Approx(-0.8));
  CHECK(level.width_px == 600);
  CHECK(level.height_px == Approx(400).margin(1));
  const auto gray = [&](int x, int y) { return level.texels[size_t(y) * level.width_px + x]; };
  CHECK(gray(300, 98) == 0);
  CHECK(gray(300, 101) == 255);
  CHECK(gray(300, 298) == 255);
  CHECK(gray(300, 301) == 0);
}

// Off the borders and ends of a road the ground shows what the track calls road.
void CheckPaintedAsJudged(const Track& track, RngStream& random) {
  INFO(track.name() << " reversed " << track.is_reversed());
  std::vector<Vec2> outline, right_m;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    outline.push_back(track.waypoint(i).left_m);
    right_m.push_back(track.waypoint(i).right_m);
  }
  outline.insert(outline.end(), right_m.rbegin(), right_m.rend());
  outline.push_back(outline.front());
  const Polyline edges(outline, true);

  const GroundTexture texture = Paint(track, PlainStyle());
  for (int i = 0; i < 3000; ++i) {
    const Vec2 point_m = track.PointAt(random.Uniform(0, track.length_m()), 0.5 * random.Normal());
    if (edges.Project(point_m).distance_m < 0.01) continue;
    INFO(point_m.x << " " << point_m.y);
    const bool is_on_road = track.IsOnRoad(point_m, track.Project(point_m));
    REQUIRE(ColorAt(texture, point_m).red == (is_on_road ? 255 : 0));
  }
}

TEST_CASE("every track is painted exactly where its road is") {
  RngStream random(11, 0, 0, RngPurpose::kTest);
  for (const Track& track : AllTracks()) CheckPaintedAsJudged(track, random);
}

TEST_CASE("borders that fold and sections that cross are painted as they are judged") {
  RngStream random(12, 0, 0, RngPurpose::kTest);
  CheckPaintedAsJudged(MakeTrack(CircleRows(0.3, 1, 40)), random);

  TrackRows eight;
  eight.name = "eight";
  for (int i = 0; i <= 100; ++i) {
    const double t = 2 * kPi * (i % 100) / 100;
    const Vec2 center_m = {3 * std::sin(t), 2 * std::sin(2 * t)};
    const Vec2 along = {3 * std::cos(t), 4 * std::cos(2 * t)};
    const Vec2 side_m = 0.4 / Length(along) * LeftNormal(along);
    eight.center_m.push_back(center_m);
    eight.inner_m.push_back(center_m + side_m);
    eight.outer_m.push_back(center_m - side_m);
  }
  CheckPaintedAsJudged(MakeTrack(eight), random);
}

TEST_CASE("dashes follow the arc length and close evenly at the seam") {
  const GroundStyle style;
  const Track track = MakeTrack(CircleRows(2, 1, 60));
  const GroundTexture texture = Paint(track);
  // 12.56 m take 41.9 dashes of twice 0.15 m
  const double period_m = track.length_m() / 42;
  for (int i = 0; i < 42; ++i) {
    INFO(i);
    const auto color = [&](double share) {
      return ColorAt(texture, track.CenterAt((i + share) * period_m));
    };
    CHECK(AreEqual(color(0.22), style.road));
    CHECK(AreEqual(color(0.28), style.center));
    CHECK(AreEqual(color(0.5), style.center));
    CHECK(AreEqual(color(0.72), style.center));
    CHECK(AreEqual(color(0.78), style.road));
    CHECK(AreEqual(color(0), i == 0 ? style.start : style.road));
  }
}

TEST_CASE("a start line elsewhere goes across the road there") {
  const GroundStyle style;
  const Track track = MakeTrack(CircleRows(2, 1, 60)).WithStart(3);
  const GroundTexture texture = Paint(track);
  for (const double lateral_m : {-0.44, -0.2, 0.2, 0.44}) {
    CHECK(AreEqual(ColorAt(texture, track.PointAt(2.96, lateral_m)), style.road));
    CHECK(AreEqual(ColorAt(texture, track.PointAt(2.99, lateral_m)), style.start));
    CHECK(AreEqual(ColorAt(texture, track.PointAt(3.01, lateral_m)), style.start));
    CHECK(AreEqual(ColorAt(texture, track.PointAt(3.04, lateral_m)), style.road));
    CHECK(AreEqual(ColorAt(texture, track.PointAt(0, lateral_m)), style.road));
  }
}

TEST_CASE("both driving directions see the same ground") {
  for (const std::string& name : BuiltInTrackNames()) {
    const Track track = *LoadBuiltInTrack(name);
    CHECK(Paint(track).levels[0].texels == Paint(track.Reversed()).levels[0].texels);
  }
}

TEST_CASE("levels are means of 2 x 2 texels, with field beyond the edges") {
  for (const TextureFormat format : {TextureFormat::kGray, TextureFormat::kRgb}) {
    GroundStyle style;
    style.format = format;
    style.margin_m = 0;
    style.texel_m = 0.013;
    const GroundTexture texture = Paint(MakeTrack(CircleRows(2, 1, 60)), style);
    const Vec2 origin_m = texture.levels[0].origin_m;
    for (size_t i = 1; i < texture.levels.size(); ++i) {
      const TextureLevel& level = texture.levels[i];
      REQUIRE(level.width_px == (texture.levels[i - 1].width_px + 1) / 2);
      REQUIRE(level.height_px == (texture.levels[i - 1].height_px + 1) / 2);
      REQUIRE(level.texel_m == Approx(0.013 * std::pow(2, i)));
      REQUIRE(level.origin_m == origin_m);
      for (int y = 0; y < level.height_px; ++y) {
        for (int x = 0; x < level.width_px; ++x) {
          Vec3 sum;
          for (const Vec2 part : {Vec2{0.25, 0.25}, {0.75, 0.25}, {0.25, 0.75}, {0.75, 0.75}}) {
            const Vec2 place_m = origin_m + level.texel_m * (Vec2(x, y) + part);
            const Rgb color = ColorAt(texture, place_m, static_cast<int>(i) - 1);
            sum += {double(color.red), double(color.green), double(color.blue)};
          }
          const Rgb mean = ColorAt(texture, origin_m + level.texel_m * Vec2(x + 0.5, y + 0.5),
                                   static_cast<int>(i));
          REQUIRE(mean.red == std::floor(sum.x / 4 + 0.5));
          REQUIRE(mean.green == std::floor(sum.y / 4 + 0.5));
          REQUIRE(mean.blue == std::floor(sum.z / 4 + 0.5));
        }
      }
    }
    CHECK(texture.levels.back().width_px == 1);
  }
}

TEST_CASE("gray is the lightness of the colors") {
  GroundStyle style;
  style.format = TextureFormat::kGray;
  const GroundTexture texture = Paint(MakeTrack(StraightRows(3, 0.6, 10)), style);
  CHECK(texture.levels[0].texels.size() ==
        size_t(texture.levels[0].width_px) * texture.levels[0].height_px);
  CHECK(texture.field.red == 94);  // 0.299 * 73 + 0.587 * 109 + 0.114 * 74 = 94.2
  CHECK(ColorAt(texture, {1.5, 1}).red == 94);
  CHECK(ColorAt(texture, {1.5, 0.1}).red == 62);  // 62.5 - 0.04
  CHECK(ColorAt(texture, {0.15, 0}).red == 185);  // 72.4 + 107.4 + 5.6
  CHECK(ColorAt(texture, {1.5, 0.28}).red == 250);
}

TEST_CASE("the same ground is painted to the same bits") {
  const Track track = *LoadBuiltInTrack("esses");
  const GroundTexture a = Paint(track), b = Paint(track);
  for (size_t i = 0; i < a.levels.size(); ++i) CHECK(a.levels[i].texels == b.levels[i].texels);
}

TEST_CASE("styles out of range are refused by name") {
  const Track track = MakeTrack(StraightRows(3, 0.6, 10));
  const auto message = [&](auto change) {
    GroundStyle style;
    change(style);
    const Result<GroundTexture> texture = PaintGround(track, style);
    return texture.ok() ? std::string() : texture.error().message;
  };
  CHECK(message([](GroundStyle& style) { style.texel_m = 0; }) ==
        "ground texture: texel_m is 0; expected 0.001 .. 0.1");
  CHECK(message([](GroundStyle& style) { style.texel_m = NAN; }) ==
        "ground texture: texel_m is nan; expected 0.001 .. 0.1");
  CHECK(message([](GroundStyle& style) { style.border_width_m = -0.1; }) ==
        "ground texture: border_width_m is -0.1; expected 0 .. 0.3");
  CHECK(message([](GroundStyle& style) { style.dash_length_m = 1e-9; }) ==
        "ground texture: dash_length_m is 1e-09; expected 0.02 .. 10");
  CHECK(message([](GroundStyle& style) { style.margin_m = 21; }) ==
        "ground texture: margin_m is 21; expected 0 .. 20");
}

TEST_CASE("a ground that is too large is refused with the texel that fits") {
  GroundStyle style;
  style.margin_m = 20;
  style.texel_m = 0.001;
  // 43 * 40.6 m * 3 bytes * 4 / 3 are 1 GiB at 2.55 mm a texel
  CHECK(PaintGround(MakeTrack(StraightRows(3, 0.6, 10)), style).error().message ==
        "the ground of 'straight' is 43.0 x 40.6 m, 6.50 GiB at 0.001 m a texel; expected at most "
        "1 GiB and 65536 texels a side: use a texel of 0.0030 m or more");
  const TrackRows far_rows = StraightRows(1e5, 1, 10);
  CHECK(PaintGround(MakeTrack(far_rows), style)
            .error()
            .message.find("no texel up to 0.1 m makes it fit") != std::string::npos);
  style.margin_m = 0;
  style.texel_m = 0.005;
  CHECK(PaintGround(MakeTrack(StraightRows(400, 1, 10)), style)
            .error()
            .message.find("use a texel of 0.0065 m") != std::string::npos);
}

TEST_CASE("a PNG shows north up and its channels in order") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "ground.png";
  for (const TextureFormat format : {TextureFormat::kGray, TextureFormat::kRgb}) {
    GroundStyle style;
    style.format = format;
    const GroundTexture texture = Paint(MakeTrack(StraightRows(3, 0.6, 10)), style);
    REQUIRE(SaveTexturePng(texture, 1, file).ok());
    const cv::Mat image = cv::imread(file.string());
    const TextureLevel& level = texture.levels[1];
    REQUIRE(image.cols == level.width_px);
    REQUIRE(image.rows == level.height_px);
    for (const Vec2 point_m : {Vec2{0.02, 0.2}, {0.15, 0}, {1.5, 0.28}, {1.5, -0.2}, {1, 1}}) {
      const auto x = static_cast<int>((point_m.x - level.origin_m.x) / level.texel_m);
      const auto y = static_cast<int>((point_m.y - level.origin_m.y) / level.texel_m);
      const auto pixel = image.at<cv::Vec3b>(level.height_px - 1 - y, x);
      CHECK(AreEqual({pixel[2], pixel[1], pixel[0]}, ColorAt(texture, point_m, 1)));
    }
  }
  const GroundTexture texture = Paint(MakeTrack(StraightRows(3, 0.6, 10)));
  CHECK(SaveTexturePng(texture, 0, "/no-such-folder/x.png")
            .error()
            .message.find("/no-such-folder/x.png") != std::string::npos);
}

}  // namespace
}  // namespace lapforge::tracks
