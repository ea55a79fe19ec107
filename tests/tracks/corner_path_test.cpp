// Tests rounded polygons: closed forms, closing, eased curvature, and sides without room.
#include "tracks/generate/corner_path.h"

#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

std::vector<Corner> Polygon(const std::vector<Vec2>& points, double width_frac) {
  std::vector<Corner> corners;
  for (const Vec2 point : points) corners.push_back({point, width_frac});
  return corners;
}

const std::vector<Vec2> kSquare = {{0, 0}, {4, 0}, {4, 4}, {0, 4}};
const std::vector<Vec2> kArrow = {{0, 0}, {9, 0}, {7, 4}, {9, 9}, {4, 7}, {-1, 8}};

// The pieces of the bends as a path.
std::vector<CurvePiece> PiecesOf(const std::vector<Bend>& bends) {
  std::vector<CurvePiece> pieces;
  for (const Bend& bend : bends) {
    const double curvature_1pm = std::copysign(1 / bend.radius_m, bend.turn_rad);
    pieces.push_back({bend.transition_m, 0, curvature_1pm, 1, 1});
    pieces.push_back({bend.radius_m * std::abs(bend.arc_rad), curvature_1pm, curvature_1pm, 1, 1});
    pieces.push_back({bend.transition_m, curvature_1pm, 0, 1, 1});
    pieces.push_back({bend.straight_m, 0, 0, 1, 1});
  }
  return pieces;
}

TEST_CASE("rounded polygons close, whatever their corners and their widths") {
  for (const auto& points : {kSquare, kArrow}) {
    for (const double width_frac : {0.0, 0.4, 1.0}) {
      CAPTURE(points.size(), width_frac);
      const std::vector<Bend> bends = RoundCorners(Polygon(points, width_frac), 0.5);
      const std::vector<CurvePiece> pieces = PiecesOf(bends);
      const Pose2 end = PathEnd(pieces);
      CHECK(Length(end.position_m) < 1e-9);
      CHECK(end.yaw_rad == Approx(2 * kPi));
      CHECK(PathLength(bends) == Approx(PathLength(pieces)));
      for (const Bend& bend : bends) {
        CHECK(bend.radius_m > 0.5 - 1e-12);
        CHECK(bend.straight_m > 0);
        // clothoids turn half as far as an arc of their length
        CHECK(
            bend.turn_rad ==
            Approx(bend.arc_rad + std::copysign(bend.transition_m / bend.radius_m, bend.turn_rad)));
      }
    }
  }
}

TEST_CASE("the tightest bends have the least radius, the widest use the room of their sides") {
  for (const Bend& bend : RoundCorners(Polygon(kArrow, 0), 0.5)) {
    CHECK(bend.radius_m == Approx(0.5));
  }
  // a square without transitions would have circles of 2 m; the longest side keeps a straight
  const std::vector<Bend> wide = RoundCorners(Polygon(kSquare, 1), 0.5);
  CHECK(wide[2].radius_m > 1.2);
  CHECK(wide[2].radius_m < 2);
  CHECK(wide[0].straight_m > 4.0 / 3);
}

TEST_CASE("a side that is too short for its bends has a negative straight") {
  const std::vector<Bend> bends = RoundCorners(Polygon({{0, 0}, {4, 0}, {4, 1}, {0, 1}}, 0), 0.8);
  CHECK(bends[0].straight_m > 0);
  CHECK(bends[1].straight_m < 0);
}

TEST_CASE("samples lie on the rounded polygon, evenly and once around") {
  const std::vector<Bend> bends = RoundCorners(Polygon(kArrow, 0.5), 0.5);
  const std::vector<BendSample> samples = SampleBends(bends, 0.1);
  double length_m = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double step_m = Length(samples[(i + 1) % samples.size()].point_m - samples[i].point_m);
    CHECK(step_m < 0.1 + 1e-9);
    length_m += step_m;
    CHECK(samples[i].bend < bends.size());
  }
  CHECK(length_m == Approx(PathLength(bends)).epsilon(1e-3));
}

}  // namespace
}  // namespace lapforge::tracks
