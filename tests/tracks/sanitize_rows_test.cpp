// Tests what happens to faulty rows: repeated, swapped, non-finite, too few, wrong columns.
#include "tracks/geometry/sanitize_rows.h"

#include <limits>

#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

std::string ErrorFor(const TrackRows& rows) {
  const Result<Track> track = Track::FromRows(rows);
  REQUIRE_FALSE(track.ok());
  CHECK(track.error().message.find('\n') == std::string::npos);
  return track.error().message;
}

void InsertRow(TrackRows& rows, int at, Vec2 center_m) {
  rows.center_m.insert(rows.center_m.begin() + at, center_m);
  rows.inner_m.insert(rows.inner_m.begin() + at, rows.inner_m[at]);
  rows.outer_m.insert(rows.outer_m.begin() + at, rows.outer_m[at]);
}

TEST_CASE("rows that repeat a centre are dropped") {
  TrackRows rows = CircleRows(2, 0.8, 20);
  InsertRow(rows, 8, rows.center_m[7]);
  InsertRow(rows, 8, rows.center_m[7] + Vec2{9e-10, 0});
  CHECK(MakeTrack(rows).num_waypoints() == 21);
  CHECK(MakeTrack(rows).length_m() == MakeTrack(CircleRows(2, 0.8, 20)).length_m());

  rows = CircleRows(2, 0.8, 20);
  InsertRow(rows, 8, Lerp(rows.center_m[7], rows.center_m[8], 2e-9));
  CHECK(MakeTrack(rows).num_waypoints() == 22);
}

TEST_CASE("the closing row stays when the row before repeats it") {
  TrackRows rows = CircleRows(2, 0.8, 20);
  InsertRow(rows, 20, rows.center_m[20] + Vec2{0, -5e-10});
  const Track track = MakeTrack(rows);
  CHECK(track.is_closed());
  CHECK(track.num_waypoints() == 21);
  CHECK(track.waypoint(20).center_m == track.waypoint(0).center_m);
}

TEST_CASE("a ring must close in all columns, exactly") {
  TrackRows rows = CircleRows(2, 0.8, 20);
  rows.outer_m.back().y += 1e-12;
  CHECK_FALSE(MakeTrack(rows).is_closed());
}

TEST_CASE("two swapped rows are put in order and reported") {
  const LogLines log;
  TrackRows rows = CircleRows(2, 0.8, 40);
  for (auto* column : {&rows.center_m, &rows.inner_m, &rows.outer_m}) {
    std::swap((*column)[10], (*column)[11]);
  }
  const Track track = MakeTrack(rows);
  CHECK(track.length_m() == MakeTrack(CircleRows(2, 0.8, 40)).length_m());
  CHECK(log.text() == "warning: circle: rows 10 and 11 were swapped; put in order\n");
}

TEST_CASE("a sharp corner is no swap") {
  const LogLines log;
  TrackRows rows = StraightRows(3, 0.6, 3);
  rows.center_m = {{0, 0}, {1, 0}, {0.2, 0.3}, {-0.5, 0.6}};
  CHECK(MakeTrack(rows).waypoint(2).center_m == Vec2{0.2, 0.3});
  CHECK(log.text().empty());
}

TEST_CASE("numbers that are no places are refused with their row") {
  TrackRows rows = CircleRows(2, 0.8, 20);
  rows.inner_m[17].y = std::numeric_limits<double>::quiet_NaN();
  CHECK(ErrorFor(rows) == "circle: row 17: inner y is nan; expected metres, at most 100000");
  rows.inner_m[17].y = -1e300;
  CHECK(ErrorFor(rows) == "circle: row 17: inner y is -1e+300; expected metres, at most 100000");
  rows = CircleRows(2, 0.8, 20);
  rows.center_m[0].x = std::numeric_limits<double>::infinity();
  rows.source = "data/my.npy";
  CHECK(ErrorFor(rows) ==
        "data/my.npy: row 0: centre x is inf; expected metres, at most 100000; "
        "see 'lapforge track check data/my.npy'");
}

TEST_CASE("rows that make no road are refused") {
  CHECK(ErrorFor(TrackRows{}) == ": 0 rows; a track has 2 .. 5000");
  CHECK(ErrorFor(StraightRows(1, 0.5, 6000)).find("6001 rows; a track has 2 .. 5000") !=
        std::string::npos);
  TrackRows rows = StraightRows(3, 0.6, 3);
  rows.center_m.assign(4, {1, 1});
  CHECK(ErrorFor(rows).find("only 1 different centre points") != std::string::npos);
  rows = CircleRows(1, 0.5, 2);
  CHECK(ErrorFor(rows).find("a closed track has at least 3") != std::string::npos);
  rows = CircleRows(2, 0.8, 20);
  rows.outer_m.pop_back();
  CHECK(ErrorFor(rows) == "circle: 21 centre points but 20 outer points");
  rows = CircleRows(2, 0.8, 20);
  std::swap(rows.inner_m, rows.outer_m);
  CHECK(ErrorFor(rows).find("the inner border encloses the outer one") != std::string::npos);
}

TEST_CASE("a figure eight is not taken for exchanged borders") {
  TrackRows rows = EightRows(4, 0.8, 101);
  if (Track::FromRows(rows).ok()) std::swap(rows.inner_m, rows.outer_m);
  CHECK(ErrorFor(rows) ==
        "road: the centre line is a figure eight, where inside and outside change places; "
        "a track must not cross itself");
}

}  // namespace
}  // namespace lapforge::tracks
