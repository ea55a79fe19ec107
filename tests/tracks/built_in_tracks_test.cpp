// Tests every track in tracks/data: it closes, fits its size of car, and its borders are sound.
#include <filesystem>
#include <set>

#include "tests/tracks/track_geometry.h"
#include "tests/tracks/track_samples.h"
#include "tracks/track_check.h"

namespace lapforge::tracks {
namespace {

// What tracks for one size of car keep to.
struct Scale {
  double min_length_m, max_length_m;
  double min_width_m, max_width_m;
  double min_radius_m;  // of the centerline: with some room around the car's turning circle
  double gap_m;         // of field between parts of the road
  double spacing_m;
};

constexpr Scale kSmall = {15, 70, 0.76, 1.07, 0.55, 0.25, 0.15};  // 1/18: turns within 0.29 m
constexpr Scale kLarge = {60, 120, 2.2, 3, 1.8, 0.6, 0.3};        // 1/10: turns within 0.8 m

const Scale& ScaleOf(const std::string& name) { return EndsWith(name, "_1_10") ? kLarge : kSmall; }

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

TEST_CASE("there are eight tracks and more for 1/18 cars, and one for 1/10") {
  int num_small = 0, num_large = 0;
  for (const std::string& name : BuiltInTrackNames()) {
    (&ScaleOf(name) == &kSmall ? num_small : num_large) += 1;
  }
  CHECK(num_small >= 8);
  CHECK(num_large >= 1);
}

TEST_CASE("built-in tracks have the size and the room that their cars need") {
  for (const std::string& name : BuiltInTrackNames()) {
    INFO(name);
    const Scale& scale = ScaleOf(name);
    const Track track = *LoadBuiltInTrack(name);
    CHECK(track.is_closed());
    CHECK(track.is_counter_clockwise());
    CHECK(track.length_m() >= scale.min_length_m);
    CHECK(track.length_m() <= scale.max_length_m);
    const auto [narrowest_m, widest_m] = WidthRange(track);
    CHECK(narrowest_m > scale.min_width_m - 1e-9);
    CHECK(widest_m < scale.max_width_m + 1e-9);
    CHECK(SmallestRadius(track) > scale.min_radius_m);
    CHECK(TotalTurn(track) == Approx(2 * kPi));
    for (int i = 0; i < track.num_segments(); ++i) {
      CHECK(Length(track.waypoint(i + 1).center_m - track.waypoint(i).center_m) ==
            Approx(scale.spacing_m).epsilon(0.07));
    }
    CHECK_FALSE(BordersMeet(track));
    const double pitch_m = widest_m + scale.gap_m;
    CHECK(SmallestPitch(track, 0.5 * kPi * pitch_m) > pitch_m);
  }
}

TEST_CASE("the road of built-in tracks ends at its borders") {
  for (const std::string& name : BuiltInTrackNames()) {
    INFO(name);
    const Track track = *LoadBuiltInTrack(name);
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

TEST_CASE("the track check finds nothing in built-in tracks") {
  for (const std::string& name : BuiltInTrackNames()) {
    for (const TrackFinding& finding : CheckRows(RowsOf(*LoadBuiltInTrack(name)), {})) {
      CAPTURE(name, finding.sentence);
      CHECK(finding.severity == FindingSeverity::kNote);
    }
  }
}

}  // namespace
}  // namespace lapforge::tracks
