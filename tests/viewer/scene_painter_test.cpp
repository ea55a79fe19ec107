// Tests scenes: cars where they are, what the camera sees as it is, the same pixels again.
#include "tools/viewer/scene_painter.h"

#include <array>
#include <functional>

#include "tests/sim/sim_fixture.h"

namespace lapforge::viewer {
namespace {

constexpr int kMapWidth = 900;  // of a picture 720 pixels high; the panel lies to the right
constexpr int kHeight = 720;

ScenePainter PainterOf(bool has_camera = false) {
  SceneSetting setting;
  setting.has_camera = has_camera;
  return ScenePainter(sim::StraightTrack(10), sim::TestCar(), setting);
}

Scene SceneAt(double x_m, double yaw_rad = 0) {
  Scene scene;
  scene.cars = {{{x_m, 0}, yaw_rad, 0, 1}};
  return scene;
}

using Pixel = std::array<int, 3>;  // red, green, blue

Pixel PixelAt(const tracks::PixelCanvas& picture, int x, int y) {
  const size_t i = static_cast<size_t>(3 * (y * picture.width_px() + x));
  return {picture.bgr()[i + 2], picture.bgr()[i + 1], picture.bgr()[i]};
}

// Where the map's pixels fulfil a rule: how many, and their mean.
struct Region {
  int count = 0;
  double x = 0;
  double y = 0;
};
Region RegionWhere(const tracks::PixelCanvas& picture, const std::function<bool(Pixel)>& rule) {
  Region region;
  for (int y = 60; y < kHeight - 60; ++y) {
    for (int x = 0; x < kMapWidth; ++x) {
      if (!rule(PixelAt(picture, x, y))) continue;
      ++region.count;
      region.x += x;
      region.y += y;
    }
  }
  region.x /= std::max(region.count, 1);
  region.y /= std::max(region.count, 1);
  return region;
}

bool IsOrange(Pixel p) { return p[0] > 220 && p[1] > 60 && p[1] < 140 && p[2] < 100; }

TEST_CASE("the followed car stands where it is") {
  const ScenePainter painter = PainterOf();
  CHECK(painter.width_px() == 1280);
  CHECK(painter.height_px() == kHeight);
  const Region at_2 = RegionWhere(painter.Paint(SceneAt(2)), IsOrange);
  const Region at_6 = RegionWhere(painter.Paint(SceneAt(6)), IsOrange);
  REQUIRE(at_2.count > 40);
  // 10 m of road fill the map between its margins, 16 pixels each
  constexpr double kPxPerM = (940 - 2 * 16) / 10.0;
  CHECK(at_6.x - at_2.x == Approx(4 * kPxPerM).margin(2));
  CHECK(at_2.x == Approx(16 + 2 * kPxPerM).margin(3));
  CHECK(at_6.y == Approx(at_2.y).margin(1));
}

TEST_CASE("north is up, and cars point where they drive") {
  const ScenePainter painter = PainterOf();
  Scene north = SceneAt(5, kPi / 2);
  const auto extent = [&](const Scene& scene) {
    const tracks::PixelCanvas picture = painter.Paint(scene);
    int width = 0, height = 0;
    for (int i = 0; i < kMapWidth; ++i) {
      bool any = false;
      for (int y = 60; y < kHeight - 60; ++y) any |= IsOrange(PixelAt(picture, i, y));
      width += any ? 1 : 0;
    }
    for (int y = 60; y < kHeight - 60; ++y) {
      bool any = false;
      for (int x = 0; x < kMapWidth; ++x) any |= IsOrange(PixelAt(picture, x, y));
      height += any ? 1 : 0;
    }
    return Vec2{double(width), double(height)};
  };
  const Vec2 east_px = extent(SceneAt(5));
  const Vec2 north_px = extent(north);
  CHECK(east_px.x > 1.5 * east_px.y);
  CHECK(north_px.x == Approx(east_px.y).margin(2));
  CHECK(north_px.y == Approx(east_px.x).margin(2));

  north.cars[0].position_m.y = 0.2;
  CHECK(RegionWhere(painter.Paint(north), IsOrange).y <
        RegionWhere(painter.Paint(SceneAt(5, kPi / 2)), IsOrange).y - 10);
}

TEST_CASE("boxes are as large as they are, and other cars are cars") {
  const ScenePainter painter = PainterOf();
  const auto brown = [](Pixel p) { return p == Pixel{206, 166, 112}; };
  const auto pale_blue = [](Pixel p) { return p[2] > p[0] + 30 && p[2] > 180; };
  sim::ObjectFacts object;
  object.position_m = {7, 0};
  object.length_m = 0.8f;
  object.width_m = 0.4f;
  Scene scene = SceneAt(2);
  scene.objects = {&object, 1};
  constexpr double kPxPerM = (940 - 2 * 16) / 10.0;
  CHECK(RegionWhere(painter.Paint(scene), brown).count ==
        Approx(0.8 * 0.4 * kPxPerM * kPxPerM).epsilon(0.08));  // edges are mixed
  CHECK(RegionWhere(painter.Paint(scene), pale_blue).count == 0);

  object.kind = sim::ObjectKind::kBot;
  CHECK(RegionWhere(painter.Paint(scene), brown).count == 0);
  const Region car = RegionWhere(painter.Paint(scene), pale_blue);
  CHECK(car.count > 40);
  CHECK(car.x == Approx(16 + 7 * kPxPerM).margin(3));
}

TEST_CASE("the camera's image is shown as it is, rows from the top, in its colours") {
  const ScenePainter painter = PainterOf(true);
  Scene scene = SceneAt(5);
  // two by two: red, green / blue, white
  const std::vector<std::byte> planes = {
      std::byte{200}, std::byte{0},   std::byte{0},   std::byte{200},   // red
      std::byte{0},   std::byte{200}, std::byte{0},   std::byte{200},   // green
      std::byte{0},   std::byte{0},   std::byte{200}, std::byte{200}};  // blue
  scene.camera = {2, 2, 3, planes};
  const tracks::PixelCanvas picture = painter.Paint(scene);
  const int middle_x = 940 + 170;
  const int middle_y = 16 + 113;
  CHECK(PixelAt(picture, middle_x - 40, middle_y - 40) == Pixel{200, 0, 0});
  CHECK(PixelAt(picture, middle_x + 40, middle_y - 40) == Pixel{0, 200, 0});
  CHECK(PixelAt(picture, middle_x - 40, middle_y + 40) == Pixel{0, 0, 200});
  CHECK(PixelAt(picture, middle_x + 40, middle_y + 40) == Pixel{200, 200, 200});

  scene.camera = {2, 2, 1, std::span(planes).first(4)};
  CHECK(PixelAt(painter.Paint(scene), middle_x - 40, middle_y - 40) == Pixel{200, 200, 200});
}

TEST_CASE("a trail is blue where slow and red where fast, and breaks where it shall") {
  const ScenePainter painter = PainterOf();
  const auto is_blue = [](Pixel p) { return p[2] > 200 && p[0] < 100; };
  const auto is_red = [](Pixel p) { return p[0] > 200 && p[1] < 90 && p[2] < 90; };
  Scene scene = SceneAt(9);
  scene.cars.front().position_m.y = 5;  // off the map
  CHECK(RegionWhere(painter.Paint(scene), is_blue).count == 0);
  scene.trail = {{{1, 0.2}, 0}, {{3, 0.2}, 0}};
  const int num_blue = RegionWhere(painter.Paint(scene), is_blue).count;
  CHECK(num_blue > 300);
  scene.trail = {{{1, 0.2}, 4}, {{3, 0.2}, 4}};
  CHECK(RegionWhere(painter.Paint(scene), is_red).count > 300);
  const double nowhere = std::nan("");
  scene.trail = {{{1, 0.2}, 0}, {{nowhere, nowhere}, 0}, {{3, 0.2}, 0}};
  CHECK(RegionWhere(painter.Paint(scene), is_blue).count == 0);
}

TEST_CASE("cars between two moments turn the short way") {
  const SceneCar before = {{0, 0}, RadFromDeg(170), 0.1, 1};
  const SceneCar after = {{1, 2}, RadFromDeg(-170), 0.3, 3};
  const SceneCar middle = Between(before, after, 0.5);
  CHECK(middle.position_m == Vec2{0.5, 1});
  CHECK(std::abs(WrapAngle(middle.yaw_rad - kPi)) < 1e-9);
  CHECK(middle.steering_rad == Approx(0.2));
  CHECK(middle.speed_mps == Approx(2));
}

TEST_CASE("every size gives whole pictures, the same ones again") {
  for (const int height_px : {180, 360, 1080}) {
    SceneSetting setting;
    setting.height_px = height_px;
    setting.has_camera = true;
    setting.title = "a title that is much longer than anything that fits into a picture so small";
    const ScenePainter painter(sim::CircleTrack(), sim::TestCar(), setting);
    CHECK(painter.width_px() % 2 == 0);
    CHECK(painter.width_px() == Approx(height_px * 16.0 / 9).margin(1));
    Scene scene = SceneAt(3);
    scene.cars.push_back({{1e9, -1e9}, 1, 0, 0});  // fell off the world
    scene.notice = "off track";
    scene.last_lap_us = scene.best_lap_us = 4350000;
    const tracks::PixelCanvas first = painter.Paint(scene);
    const tracks::PixelCanvas second = painter.Paint(scene);
    CHECK(std::equal(first.bgr().begin(), first.bgr().end(), second.bgr().begin()));
  }
}

}  // namespace
}  // namespace lapforge::viewer
