// Tests random tours: simple, counter-clockwise, with as many corners as asked for, never the same.
#include "tracks/generate/tour.h"

#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

std::vector<Corner> Tour(int num_corners, uint64_t seed) {
  RngStream rng(seed, 0, 0, RngPurpose::kTrackShape);
  return RandomTour(num_corners, rng);
}

bool Cross4(Vec2 a, Vec2 b, Vec2 c, Vec2 d) {
  const auto side = [](Vec2 from, Vec2 to, Vec2 point) { return Cross(to - from, point - from); };
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

TEST_CASE("tours are simple polygons that run counter-clockwise") {
  for (const int num_corners : {3, 4, 5, 9, 20, 60, 120}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      CAPTURE(num_corners, seed);
      const std::vector<Corner> corners = Tour(num_corners, seed);
      REQUIRE(corners.size() == static_cast<size_t>(num_corners));
      const auto point = [&](int i) { return corners[i % num_corners].point_m; };
      double twice_area = 0;
      for (int i = 0; i < num_corners; ++i) {
        twice_area += Cross(point(i), point(i + 1));
        for (int k = i + 2; k < num_corners; ++k) {
          CHECK_FALSE(Cross4(point(i), point(i + 1), point(k), point(k + 1)));
        }
        CHECK(corners[i].width_frac >= 0);
        CHECK(corners[i].width_frac < 1);
      }
      CHECK(twice_area > 0);
    }
  }
}

TEST_CASE("points of a tour keep apart") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Corner> corners = Tour(40, seed);
    // 40 points that share a region of at least 0.2 m^2: a third of a square's side at least
    for (size_t i = 0; i < corners.size(); ++i) {
      for (size_t k = i + 1; k < corners.size(); ++k) {
        CHECK(Length(corners[i].point_m - corners[k].point_m) > std::sqrt(0.2 / 40) / 3);
      }
    }
  }
}

}  // namespace
}  // namespace lapforge::tracks
