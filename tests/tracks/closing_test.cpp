// Tests whether lines of points count as rings: repeated ends, ends that follow, ends apart.
#include "tracks/geometry/closing.h"

#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

std::vector<Vec2> Circle(int num_points, double share = 1) {
  std::vector<Vec2> points;
  for (int i = 0; i < num_points; ++i) {
    points.push_back(2 * DirectionOf(2 * kPi * share * i / num_points));
  }
  return points;
}

TEST_CASE("a circle closes whether or not its first point is repeated") {
  std::vector<Vec2> points = Circle(20);
  CHECK(EndsOf(points) == Ends::kFollow);
  points.push_back(points[0]);
  CHECK(EndsOf(points) == Ends::kRepeat);
  points.back().y -= 2e-9;
  CHECK(EndsOf(points) == Ends::kRepeat);
  points.back().y -= 0.01;  // the spacing is 0.626 m
  CHECK(EndsOf(points) == Ends::kRepeat);
  points.back().y -= 0.01;
  CHECK(EndsOf(points) == Ends::kFollow);
}

TEST_CASE("a line whose ends are apart is open") {
  CHECK(EndsOf(Circle(20, 0.5)) == Ends::kApart);
  CHECK(EndsOf(Circle(20, 0.9)) == Ends::kApart);
  CHECK(EndsOf(std::vector<Vec2>{{0, 0}, {1, 0}, {2, 0}}) == Ends::kApart);
  CHECK(EndsOf(std::vector<Vec2>{{0, 0}, {1, 0}, {1.1, 0}}) == Ends::kApart);
  CHECK(EndsOf(std::vector<Vec2>{{0, 0}, {1, 0}}) == Ends::kApart);
  CHECK(EndsOf(std::vector<Vec2>{}) == Ends::kApart);
}

TEST_CASE("polygons of few corners are rings") {
  CHECK(EndsOf(Circle(3)) == Ends::kFollow);
  CHECK(EndsOf(Circle(4)) == Ends::kFollow);
  CHECK(EndsOf(std::vector<Vec2>{{0, 0}, {4, 0}, {0, 3}, {0, 0}}) == Ends::kRepeat);
}

TEST_CASE("rows close where all columns nearly do, and tell how nearly") {
  TrackRows rows = CircleRows(2, 0.8, 20);
  CHECK(CloseRepeatedRow(rows) == 0);
  rows.outer_m.back().y += 1e-9;
  CHECK(CloseRepeatedRow(rows) == Approx(1e-9).epsilon(1e-6));
  CHECK(rows.outer_m.back() == rows.outer_m.front());
  rows.outer_m.back().y += 0.1;
  CHECK(CloseRepeatedRow(rows) == 0);
  CHECK(rows.outer_m.back() != rows.outer_m.front());
}

}  // namespace
}  // namespace lapforge::tracks
