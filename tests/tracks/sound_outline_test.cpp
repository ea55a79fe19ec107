// Tests how polygons become roads: length met, and corners without room taken away.
#include "tracks/generate/sound_outline.h"

#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

std::vector<Corner> Polygon(const std::vector<Vec2>& points) {
  std::vector<Corner> corners;
  for (const Vec2 point : points) corners.push_back({point, 0});
  return corners;
}

TEST_CASE("a square is sound down to 10.5 times the least radius, with the widest pitch") {
  const std::vector<Corner> square = Polygon({{0, 0}, {1, 0}, {1, 1}, {0, 1}});
  const std::vector<Bend> bends = SoundOutline(square, {10.5, 1, 2});
  REQUIRE(bends.size() == 4);
  CHECK(PathLength(bends) == Approx(10.5).epsilon(1e-9));
  for (const Bend& bend : bends) CHECK(bend.radius_m == Approx(1));
  CHECK(SoundOutline(square, {9, 1, 2}).empty());
}

TEST_CASE("an outline keeps all corners where they have room, at any length") {
  const std::vector<Corner> arrow = Polygon({{0, 0}, {9, 0}, {7, 4}, {9, 9}, {4, 7}, {-1, 8}});
  for (const double length_m : {30.0, 50.0, 400.0}) {
    const std::vector<Bend> bends = SoundOutline(arrow, {length_m, 0.5, 1});
    CHECK(bends.size() == 6);
    CHECK(PathLength(bends) == Approx(length_m).epsilon(1e-9));
  }
}

TEST_CASE("a dent that comes near the other side is taken away") {
  // the dent's floor is a tenth of the height above the ground
  const std::vector<Corner> corners =
      Polygon({{0, 0}, {12, 0}, {12, 6}, {9, 6}, {7.5, 0.6}, {4.5, 0.6}, {3, 6}, {0, 6}});
  const std::vector<Bend> far = SoundOutline(corners, {400, 0.5, 1});
  const auto is_right = [](const Bend& bend) { return bend.turn_rad < 0; };
  CHECK(std::count_if(far.begin(), far.end(), is_right) == 2);
  const std::vector<Bend> near = SoundOutline(corners, {40, 0.5, 1});
  CHECK(near.size() < far.size());
  CHECK(std::count_if(near.begin(), near.end(), is_right) < 2);
}

TEST_CASE("corners that hardly turn are no bends") {
  const std::vector<Corner> square = Polygon({{0, 0}, {2, -0.05}, {4, 0}, {4, 4}, {0, 4}});
  CHECK(SoundOutline(square, {20, 0.5, 1}).size() == 4);
}

}  // namespace
}  // namespace lapforge::tracks
