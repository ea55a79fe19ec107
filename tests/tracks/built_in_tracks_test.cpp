// Tests every track in tracks/data: it closes, fits a small car, and its borders are sound.
#include <filesystem>
#include <set>

#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

// Radius of the circle through three points.
double Circumradius(Vec2 a, Vec2 b, Vec2 c) {
  const double twice_area = std::abs(Cross(b - a, c - a));
  return Length(b - a) * Length(c - b) * Length(a - c) / (2 * twice_area);
}

TEST_CASE("every file in tracks/data is a built-in track of its name") {
  std::set<std::string> files;
  const auto folder = std::filesystem::path(LAPFORGE_SOURCE_DIR) / "tracks/data";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    CHECK(entry.path().extension() == ".textproto");
    files.insert(entry.path().stem().string());
  }
  const std::vector<std::string> names = BuiltInTrackNames();
  CHECK(std::vector<std::string>(files.begin(), files.end()) == names);
  for (const std::string& name : names) {
    const Result<Track> track = LoadBuiltInTrack(name);
    INFO((track.ok() ? "" : track.error().message));
    REQUIRE(track.ok());
    CHECK(track->name() == name);
    CHECK_FALSE(track->description().empty());
  }
}

TEST_CASE("built-in tracks can be raced by a 1/18 car") {
  for (const std::string& name : BuiltInTrackNames()) {
    INFO(name);
    const Track track = *LoadBuiltInTrack(name);
    CHECK(track.is_closed());
    CHECK(track.is_counter_clockwise());
    CHECK(track.length_m() > 15);
    CHECK(track.length_m() < 40);
    const int n = track.num_segments();
    double turn_rad = 0;
    for (int i = 0; i < n; ++i) {
      const auto& [center_m, left_m, right_m] = track.waypoint(i);
      const Vec2 before_m = track.waypoint((i + n - 1) % n).center_m;
      const Vec2 after_m = track.waypoint(i + 1).center_m;
      CHECK(Circumradius(before_m, center_m, after_m) > 0.5);
      CHECK(Length(left_m - right_m) > 0.75);
      CHECK(Length(left_m - right_m) < 1.08);
      CHECK(track.IsOnRoad(center_m, track.Project(center_m)));
      CHECK(Length(center_m - before_m) == Approx(0.15).margin(0.01));
      turn_rad += std::atan2(Cross(center_m - before_m, after_m - center_m),
                             Dot(center_m - before_m, after_m - center_m));
    }
    CHECK(turn_rad == Approx(2 * kPi));

    // the road meets no other part of itself: the nearest border is the one beside
    for (double arc_m = 0; arc_m < track.length_m(); arc_m += 0.1) {
      const HalfWidths widths = track.HalfWidthsAt(arc_m);
      CHECK(track.IsOnRoad(track.PointAt(arc_m, 0.98 * widths.left_m),
                           track.Project(track.CenterAt(arc_m))));
      CHECK_FALSE(track.IsOnRoad(track.PointAt(arc_m, 1.05 * widths.left_m),
                                 track.Project(track.CenterAt(arc_m))));
      CHECK_FALSE(track.IsOnRoad(track.PointAt(arc_m, -1.05 * widths.right_m),
                                 track.Project(track.CenterAt(arc_m))));
    }
  }
}

}  // namespace
}  // namespace lapforge::tracks
