// Tests the integration of straights, arcs and clothoids against closed forms and tables.
#include "tracks/design/curve_path.h"

#include <catch2/catch.hpp>

namespace lapforge::tracks {
namespace {

TEST_CASE("a quarter of a circle ends where geometry says") {
  const double radius_m = 0.7;
  const CurvePiece arc{radius_m * kPi / 2, 1 / radius_m, 1 / radius_m, 1, 1};
  const Pose2 end = Advance({}, arc, 0, arc.length_m);
  CHECK(end.position_m.x == Approx(radius_m).margin(1e-12));
  CHECK(end.position_m.y == Approx(radius_m).margin(1e-12));
  CHECK(end.yaw_rad == Approx(kPi / 2).margin(1e-14));
}

TEST_CASE("a clothoid ends at the Fresnel integrals") {
  // curvature pi s: x = C(s), y = S(s); C(1) and S(1) from Abramowitz and Stegun, table 7.7
  const CurvePiece clothoid{1, 0, kPi, 1, 1};
  const Pose2 end = Advance({}, clothoid, 0, 1);
  CHECK(end.position_m.x == Approx(0.7798934).margin(5e-8));
  CHECK(end.position_m.y == Approx(0.4382591).margin(5e-8));
  CHECK(end.yaw_rad == Approx(kPi / 2).margin(1e-14));

  const Pose2 middle = Advance({}, clothoid, 0, 0.4);
  const Pose2 in_two_steps = Advance(middle, clothoid, 0.4, 1);
  CHECK(Length(in_two_steps.position_m - end.position_m) < 1e-11);
}

TEST_CASE("samples are equally spaced and widths change evenly") {
  const std::vector<CurvePiece> pieces = {{2, 0, 0, 1.0, 0.8}, {kPi, 1, 1, 0.8, 0.8}};
  const std::vector<PathSample> samples = SamplePath(pieces, 50);
  REQUIRE(samples.size() == 51);
  const double step_m = (2 + kPi) / 50;
  for (int i = 0; i <= 50; ++i) {
    const double s_m = i * step_m;
    const Vec2 expected =
        s_m < 2 ? Vec2{s_m, 0} : Vec2{2 + std::sin(s_m - 2), 1 - std::cos(s_m - 2)};
    CHECK(Length(samples[i].pose.position_m - expected) < 1e-11);
    CHECK(samples[i].width_m == Approx(s_m < 2 ? 1 - 0.1 * s_m : 0.8));
  }
  CHECK(PathLength(pieces) == 2 + kPi);
  CHECK(Length(PathEnd(pieces).position_m - samples.back().pose.position_m) < 1e-11);
}

}  // namespace
}  // namespace lapforge::tracks
