// Tests Track against closed forms: a circle and a straight, both directions, starts, wrapping.
#include "tracks/track.h"

#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

constexpr double kRadius_m = 2;
constexpr double kWidth_m = 0.8;
constexpr int kNumSegments = 720;

// A polygon's sides lie up to 1 - cos(pi / n) inside its circle, relative to the radius.
const double kSagitta_m = kRadius_m * (1 - std::cos(kPi / kNumSegments));

TEST_CASE("a circle has the length and curvature of a circle") {
  const Track track = MakeTrack(CircleRows(kRadius_m, kWidth_m, kNumSegments));
  CHECK(track.is_closed());
  CHECK(track.is_counter_clockwise());
  CHECK(track.inner_is_left());
  CHECK(track.num_waypoints() == kNumSegments + 1);
  CHECK(track.length_m() ==
        Approx(2 * kNumSegments * kRadius_m * std::sin(kPi / kNumSegments)).epsilon(1e-12));
  for (double arc_m = 0; arc_m < track.length_m(); arc_m += 0.37) {
    CHECK(track.CurvatureAt(arc_m) == Approx(1 / kRadius_m).epsilon(1e-4));
    CHECK(track.HalfWidthsAt(arc_m).left_m == Approx(kWidth_m / 2).margin(1e-4));
    CHECK(track.HalfWidthsAt(arc_m).right_m == Approx(kWidth_m / 2).margin(1e-4));
  }
}

TEST_CASE("positions on a circle are polar coordinates") {
  const Track track = MakeTrack(CircleRows(kRadius_m, kWidth_m, kNumSegments));
  RngStream random(1, 0, 0, RngPurpose::kTest);
  for (int i = 0; i < 1000; ++i) {
    const double angle_rad = random.Uniform(0, 2 * kPi);
    const double radius_m = random.Uniform(0.5, 4);
    const Vec2 point_m = radius_m * DirectionOf(angle_rad);
    const TrackPosition position = track.Project(point_m);
    // up to half a side of the polygon off: beside a vertex all points project on it
    CHECK(position.arc_length_m / track.length_m() ==
          Approx(angle_rad / (2 * kPi)).margin(0.5 / kNumSegments));
    CHECK(position.lateral_offset_m == Approx(kRadius_m - radius_m).margin(2 * kSagitta_m));
    const double tangent_error_rad = WrapAngle(position.tangent_yaw_rad - angle_rad - kPi / 2);
    CHECK(std::abs(tangent_error_rad) < 2.01 * kPi / kNumSegments);
    CHECK(Length(track.PointAt(position.arc_length_m, position.lateral_offset_m) - point_m) < 0.02);

    const double from_center_m = std::abs(kRadius_m - radius_m);
    if (std::abs(from_center_m - kWidth_m / 2) > 2 * kSagitta_m) {
      CHECK(track.IsOnRoad(point_m, position) == (from_center_m < kWidth_m / 2));
    }
    const BorderPoints borders = track.NearestBorders(position);
    CHECK(Length(borders.left_m) == Approx(kRadius_m - kWidth_m / 2).margin(2 * kSagitta_m));
    CHECK(Length(borders.right_m) == Approx(kRadius_m + kWidth_m / 2).margin(2 * kSagitta_m));
  }
}

TEST_CASE("a straight is open and has ends") {
  const Track track = MakeTrack(StraightRows(3, 0.6, 10));
  CHECK_FALSE(track.is_closed());
  CHECK(track.is_counter_clockwise());
  CHECK(track.num_waypoints() == 11);
  CHECK(track.length_m() == Approx(3).margin(1e-12));
  CHECK(track.CurvatureAt(1.5) == 0);

  const TrackPosition beside = track.Project({1.2, 0.25});
  CHECK(beside.arc_length_m == Approx(1.2));
  CHECK(beside.lateral_offset_m == Approx(0.25));
  CHECK(beside.tangent_yaw_rad == 0);
  CHECK(track.IsOnRoad({1.2, 0.25}, beside));
  CHECK_FALSE(track.IsOnRoad({1.2, 0.3}, beside));  // on the border
  CHECK_FALSE(track.IsOnRoad({1.2, -0.3}, beside));
  CHECK_FALSE(track.IsOnRoad({0, 0}, beside));  // on the end of the road

  const TrackPosition behind = track.Project({-0.3, -0.4});
  CHECK(behind.arc_length_m == 0);
  CHECK(behind.lateral_offset_m == Approx(-0.5));
  CHECK_FALSE(track.IsOnRoad({-0.001, 0}, behind));
  const TrackPosition beyond = track.Project({3.3, 0.4});
  CHECK(beyond.arc_length_m == track.length_m());
  CHECK(beyond.lateral_offset_m == Approx(0.5));

  CHECK(track.WrapArcLength(-1) == 0);
  CHECK(track.WrapArcLength(4) == track.length_m());
  CHECK(track.ArcLengthDelta(0.5, 2.9) == Approx(2.4));
  CHECK(track.CenterAt(99) == Vec2{3, 0});
}

TEST_CASE("a reversed view swaps sides and mirrors arc lengths") {
  const Track forward = MakeTrack(CircleRows(kRadius_m, kWidth_m, 90));
  const Track track = forward.Reversed();
  CHECK(track.is_reversed());
  CHECK_FALSE(track.is_counter_clockwise());
  CHECK_FALSE(track.inner_is_left());
  CHECK(track.length_m() == Approx(forward.length_m()));
  CHECK(track.CurvatureAt(1) == Approx(-forward.CurvatureAt(1)));
  CHECK(track.waypoint(1).center_m == forward.waypoint(89).center_m);
  CHECK(track.waypoint(1).left_m == forward.waypoint(89).right_m);

  const TrackPosition there = forward.Project({0.3, 2.1});
  const TrackPosition back = track.Project({0.3, 2.1});
  CHECK(back.arc_length_m == Approx(forward.length_m() - there.arc_length_m));
  CHECK(back.lateral_offset_m == Approx(-there.lateral_offset_m));
  CHECK(std::abs(WrapAngle(back.tangent_yaw_rad - there.tangent_yaw_rad)) == Approx(kPi));
  CHECK(track.Reversed().Project({0.3, 2.1}).arc_length_m == there.arc_length_m);
}

TEST_CASE("the start line moves without moving arc lengths") {
  const Track track = MakeTrack(CircleRows(kRadius_m, kWidth_m, 90));
  const Track moved = track.WithStart(track.length_m() + 2.5);
  CHECK(track.start_m() == 0);
  CHECK(moved.start_m() == Approx(2.5));
  CHECK(moved.Project({2, 0.1}).arc_length_m == track.Project({2, 0.1}).arc_length_m);

  // it stays where it is when the direction changes
  const Track reversed = moved.Reversed();
  CHECK(Length(reversed.CenterAt(reversed.start_m()) - moved.CenterAt(2.5)) < 1e-12);
  CHECK(track.Reversed().start_m() == 0);
  CHECK(MakeTrack(StraightRows(3, 0.6, 10)).WithStart(1).Reversed().start_m() == 0);
}

TEST_CASE("arc lengths wrap on a closed track") {
  const Track track = MakeTrack(CircleRows(kRadius_m, kWidth_m, 90));
  const double length_m = track.length_m();
  CHECK(track.WrapArcLength(0) == 0);
  CHECK(track.WrapArcLength(length_m) == 0);
  CHECK(track.WrapArcLength(-1) == Approx(length_m - 1));
  CHECK(track.WrapArcLength(3 * length_m + 1) == Approx(1));
  CHECK(track.WrapArcLength(-1e-30) == 0);
  CHECK(track.ArcLengthDelta(length_m - 0.1, 0.2) == Approx(0.3));
  CHECK(track.ArcLengthDelta(0.2, length_m - 0.1) == Approx(-0.3));
  CHECK(track.ArcLengthDelta(1, 3) == 2);
  CHECK(track.ArcLengthDelta(0, 5 * length_m + 1) == Approx(1));
}

TEST_CASE("points and arc lengths that are not finite do no harm") {
  const double kNan = std::nan("");
  for (const Track& track :
       {MakeTrack(CircleRows(kRadius_m, kWidth_m, 90)), MakeTrack(StraightRows(3, 0.6, 10))}) {
    for (const Vec2 point_m : {Vec2{kNan, 0}, Vec2{0, kNan}, Vec2{INFINITY, 0}, Vec2{1e300, 1}}) {
      const TrackPosition position = track.ProjectNear(point_m, 3);
      CHECK(position.segment_index == track.Project(point_m).segment_index);
      CHECK(position.arc_length_m >= 0);
      CHECK(position.arc_length_m <= track.length_m());
      CHECK(std::isinf(position.lateral_offset_m));
      CHECK_FALSE(track.IsOnRoad(point_m, position));
      track.NearestBorders(position);
    }
    for (const double arc_m : {kNan, double(INFINITY), -double(INFINITY), 1e300}) {
      CHECK(track.WrapArcLength(arc_m) >= 0);
      CHECK(track.WrapArcLength(arc_m) <= track.length_m());
      CHECK(std::isfinite(track.CenterAt(arc_m).x));
      CHECK(std::isfinite(track.CurvatureAt(arc_m)));
      CHECK(std::isfinite(track.HalfWidthsAt(arc_m).left_m));
    }
  }
}

TEST_CASE("curvature follows the road from a straight into a bend") {
  const Result<Track> track = LoadBuiltInTrack("hairpins");
  REQUIRE(track.ok());
  // tracks/data/hairpins.textproto begins with 3 m of straight and half a circle of 0.7 m
  CHECK(track->CurvatureAt(1.5) == Approx(0).margin(1e-6));
  CHECK(track->CurvatureAt(3 + 0.35 * kPi) == Approx(1 / 0.7).epsilon(0.01));
}

}  // namespace
}  // namespace lapforge::tracks
