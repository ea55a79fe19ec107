// Tests racing lines against closed forms, and on every track at hand: clear of the borders, faster
// than the centerline and the shortest path.
#include "tracks/raceline.h"

#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

// Sanitizers make a line some ten times slower: there every fifth track has to do.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kTrackStride = 5;
#else
constexpr size_t kTrackStride = 1;
#endif

template <class Item>
std::vector<Item> EveryFew(const std::vector<Item>& all) {
  std::vector<Item> some;
  for (size_t i = 0; i < all.size(); i += kTrackStride) some.push_back(all[i]);
  return some;
}

// Distance between two straight stretches.
double Distance(Vec2 a, Vec2 b, Vec2 c, Vec2 d) {
  const auto to_point = [](Vec2 from, Vec2 to, Vec2 point) {
    const Vec2 way = to - from;
    const double length_sq = Dot(way, way);
    const double t = length_sq > 0 ? Clamp(Dot(point - from, way) / length_sq, 0.0, 1.0) : 0;
    return Length(point - (from + t * way));
  };
  const bool is_crossing = Cross(b - a, c - a) * Cross(b - a, d - a) < 0 &&
                           Cross(d - c, a - c) * Cross(d - c, b - c) < 0;
  if (is_crossing) return 0;
  return std::min({to_point(a, b, c), to_point(a, b, d), to_point(c, d, a), to_point(c, d, b)});
}

// Of the whole line from all border segments, found one by one.
double Clearance(const Track& track, const Raceline& line) {
  double nearest_m = 1e9;
  const size_t n = line.points.size();
  for (size_t i = 0; i + (line.is_closed ? 0 : 1) < n; ++i) {
    const Vec2 a = line.points[i].position_m, b = line.points[(i + 1) % n].position_m;
    for (int k = 0; k < track.num_segments(); ++k) {
      const Waypoint from = track.waypoint(k), to = track.waypoint(k + 1);
      nearest_m = std::min(nearest_m, Distance(a, b, from.left_m, to.left_m));
      nearest_m = std::min(nearest_m, Distance(a, b, from.right_m, to.right_m));
    }
  }
  return nearest_m;
}

double MaxCurvature(const Raceline& line) {
  double largest_1pm = 0;
  for (const RacelinePoint& point : line.points) {
    largest_1pm = std::max(largest_1pm, std::abs(point.curvature_1pm));
  }
  return largest_1pm;
}

Raceline Check(const Result<Raceline>& line) {
  INFO((line.ok() ? "" : line.error().message));
  REQUIRE(line.ok());
  return *line;
}

// A ring of straights of one length and left bends of one angle, counter-clockwise: two bends make
// a stadium, four a square with round corners. The middle of the first straight is the origin.
TrackRows RoundedPolygonRows(int num_bends, double straight_m, double radius_m, double width_m) {
  constexpr int kRowsPerBend = 60, kRowsPerStraight = 40;
  TrackRows rows;
  rows.name = "polygon";
  Vec2 point_m;
  double yaw_rad = 0;
  const auto add = [&] {
    const Vec2 left = LeftNormal(DirectionOf(yaw_rad));
    rows.center_m.push_back(point_m);
    rows.inner_m.push_back(point_m + 0.5 * width_m * left);
    rows.outer_m.push_back(point_m - 0.5 * width_m * left);
  };
  const auto straight = [&](double length_m, int num_rows) {
    for (int i = 0; i < num_rows; ++i) {
      add();
      point_m += length_m / num_rows * DirectionOf(yaw_rad);
    }
  };
  straight(0.5 * straight_m, kRowsPerStraight / 2);
  for (int bend = 0; bend < num_bends; ++bend) {
    const double step_rad = 2 * kPi / num_bends / kRowsPerBend;
    for (int i = 0; i < kRowsPerBend; ++i) {
      add();
      point_m += 2 * radius_m * std::sin(0.5 * step_rad) * DirectionOf(yaw_rad + 0.5 * step_rad);
      yaw_rad += step_rad;
    }
    const bool is_last = bend + 1 == num_bends;
    straight(is_last ? 0.5 * straight_m : straight_m,
             is_last ? kRowsPerStraight / 2 : kRowsPerStraight);
  }
  for (std::vector<Vec2>* column : {&rows.center_m, &rows.inner_m, &rows.outer_m}) {
    column->push_back(column->front());
  }
  return rows;
}

// A car that can hardly speed up or slow down drives all of the lap as fast as its tightest bend
// allows: it needs the largest radius.
RacelineLimits SteadyCar() {
  RacelineLimits limits;
  limits.lateral_accel_mps2 = 5;
  limits.longitudinal_accel_mps2 = 0.01;
  limits.brake_decel_mps2 = 0.01;
  limits.motor = {{100, 100}};
  limits.car_width_m = 0.2;
  limits.margin_m = 0.05;
  limits.max_curvature_1pm = 10;
  limits.yaw_accel_radps2 = 1e6;
  return limits;
}

TEST_CASE("the fastest way around a ring is its inner side") {
  const RacelineLimits limits = SteadyCar();
  const Track track = MakeTrack(CircleRows(2, 1, 400));
  const Raceline line = Check(ComputeRaceline(track, limits));
  const double radius_m = 2 - 0.5 + limits.KeepDistance();
  for (const RacelinePoint& point : line.points) {
    CHECK(Length(point.position_m) == Approx(radius_m).epsilon(0.01));
    CHECK(point.curvature_1pm == Approx(1 / radius_m).epsilon(0.02));
    CHECK(point.speed_mps == Approx(std::sqrt(5 * radius_m)).epsilon(0.01));
    CHECK(point.lateral_offset_m == Approx(2 - radius_m).margin(0.02));
  }
  CHECK(line.lap_time_s == Approx(2 * kPi * std::sqrt(radius_m / 5)).epsilon(0.01));
  CHECK(line.length_m == Approx(2 * kPi * radius_m).epsilon(0.01));
}

TEST_CASE(
    "through a hairpin and a right angle: the largest arc from outside over inside to outside") {
  const RacelineLimits limits = SteadyCar();
  const double radius_m = 0.9, width_m = 1;
  const double inner_m = radius_m - 0.5 * width_m + limits.KeepDistance();
  const double outer_m = radius_m + 0.5 * width_m - limits.KeepDistance();
  for (const int num_bends : {2, 4}) {
    INFO(num_bends << " bends");
    const Track track = MakeTrack(RoundedPolygonRows(num_bends, 14, radius_m, width_m));
    const Raceline line = Check(ComputeRaceline(track, limits));

    // tangent to the outer sides of both straights, touching the inner side in the middle; through
    // a half turn the outer sides are parallel and only an arc as wide as the road fits
    const double half = std::cos(kPi / num_bends);
    const double arc_m = (outer_m - inner_m * half) / (1 - half);
    CHECK(1 / MaxCurvature(line) == Approx(arc_m).epsilon(0.01));
    const double speed_mps = std::sqrt(limits.lateral_accel_mps2 * arc_m);
    for (const RacelinePoint& point : line.points) {
      if (point.curvature_1pm < 0.95 / arc_m) continue;  // the straights let it gain a little
      CHECK(point.speed_mps == Approx(speed_mps).epsilon(0.01));
    }

    // the apex of the first bend is on its bisector
    const Vec2 middle_m = {7, radius_m};
    const auto apex =
        std::min_element(line.points.begin(), line.points.end(), [&](const auto& a, const auto& b) {
          return Length(a.position_m - middle_m) < Length(b.position_m - middle_m);
        });
    CHECK(Length(apex->position_m - middle_m) == Approx(inner_m).epsilon(0.02));
    const Vec2 bisector = DirectionOf(kPi / num_bends - 0.5 * kPi);
    const Vec2 expected_m = middle_m + inner_m * bisector;
    CHECK(Length(apex->position_m - expected_m) < 0.01 * arc_m + 0.1);
  }
}

TEST_CASE("speeds along a given line follow from grip, motor and brakes") {
  RacelineLimits limits;
  limits.lateral_accel_mps2 = 8;
  limits.longitudinal_accel_mps2 = 20;
  limits.motor = {{100, 3}};
  limits.brake_decel_mps2 = 6;

  // an open straight from standstill
  const Track straight = MakeTrack(StraightRows(10, 1, 50));
  std::vector<Vec2> points_m;
  for (int i = 0; i <= 1000; ++i) points_m.push_back({0.01 * i, 0});
  const Raceline launch = Check(DriveLine(straight, points_m, limits));
  CHECK(launch.lap_time_s == Approx(std::sqrt(2 * 10 / 3.0)).epsilon(1e-6));
  CHECK(launch.points.front().speed_mps == 0);
  CHECK(launch.points.back().speed_mps == Approx(std::sqrt(2 * 3 * 10.0)));
  CHECK_FALSE(launch.is_closed);

  // a stadium: bends at the limit of grip, on each straight full throttle, then full brakes
  const double radius_m = 2, length_m = 10;
  const Track track = MakeTrack(RoundedPolygonRows(2, length_m, radius_m, 1));
  const TrackRows fine = RoundedPolygonRows(2, length_m, radius_m, 1);
  const Raceline lap = Check(DriveLine(track, fine.center_m, limits));
  const double bend_mps = std::sqrt(8 * radius_m);
  const double top_mps = std::sqrt(bend_mps * bend_mps + 2 * length_m * 3 * 6 / (3 + 6));
  const double time_s =
      2 * kPi * radius_m / bend_mps + 2 * (top_mps - bend_mps) * (1 / 3.0 + 1 / 6.0);
  CHECK(lap.lap_time_s == Approx(time_s).epsilon(0.01));
  double fastest_mps = 0;
  for (const RacelinePoint& point : lap.points)
    fastest_mps = std::max(fastest_mps, point.speed_mps);
  CHECK(fastest_mps == Approx(top_mps).epsilon(0.01));

  // the same lap begun anywhere takes as long: the seam is not felt
  std::vector<Vec2> turned = fine.center_m;
  turned.pop_back();
  std::rotate(turned.begin(), turned.begin() + 77, turned.end());
  CHECK(Check(DriveLine(track, turned, limits)).lap_time_s == Approx(lap.lap_time_s).epsilon(1e-9));
}

TEST_CASE("neither grip nor motor nor brakes are overdrawn") {
  const Track track = *LoadBuiltInTrack("hairpins");
  const RacelineLimits limits;
  const Raceline line = Check(ComputeRaceline(track, limits));
  const size_t n = line.points.size();
  for (size_t i = 0; i < n; ++i) {
    const RacelinePoint& from = line.points[i];
    const RacelinePoint& to = line.points[(i + 1) % n];
    const RacelinePoint& faster = from.speed_mps > to.speed_mps ? from : to;
    const double turning =
        faster.speed_mps * faster.speed_mps * faster.curvature_1pm / limits.lateral_accel_mps2;
    const double pulling = from.accel_mps2 / limits.longitudinal_accel_mps2;
    CHECK(std::hypot(turning, pulling) < 1.001);
    CHECK(from.accel_mps2 < limits.MotorAccel(from.speed_mps) + 1e-6);
    CHECK(from.accel_mps2 > -limits.brake_decel_mps2 - 1e-6);
    CHECK(from.speed_mps <= limits.TopSpeed());
  }
}

TEST_CASE(
    "every track's line is clear of the borders and faster than centerline and shortest path") {
  const RacelineLimits limits;
  for (const Track& track : EveryFew(AllTracks())) {
    INFO(track.name() << (track.is_reversed() ? " reversed" : ""));
    const Raceline line = Check(ComputeRaceline(track, limits));
    CHECK(line.is_closed == track.is_closed());
    CHECK(Clearance(track, line) > limits.KeepDistance() - 2e-6);
    CHECK(MaxCurvature(line) < 1.01 * limits.max_curvature_1pm);
    // the ends of an open road are its border
    const size_t ends = line.is_closed ? 0 : 1;
    for (size_t i = ends; i + ends < line.points.size(); ++i) {
      const Vec2 point_m = line.points[i].position_m;
      CHECK(track.IsOnRoad(point_m, track.Project(point_m)));
    }
    const bool is_straight = MaxCurvature(line) < 1e-6;
    const double faster = is_straight ? 1 + 1e-6 : 0.99;
    CHECK(line.lap_time_s < faster * Check(ComputeCenterline(track, limits)).lap_time_s);
    // on wide roads with a few wide bends the shortest path is nearly as good
    const double little_faster = is_straight ? 1 + 1e-6 : 0.997;
    CHECK(line.lap_time_s < little_faster * Check(ComputeShortestPath(track, limits)).lap_time_s);
  }
}

TEST_CASE("a car whose middle may touch the borders is faster and stays on the road") {
  RacelineLimits limits;
  RacelineLimits touching;
  touching.margin_m = -0.5 * touching.car_width_m;
  for (const std::string& name : EveryFew(BuiltInTrackNames())) {
    INFO(name);
    const Track track = *LoadBuiltInTrack(name);
    const Raceline line = Check(ComputeRaceline(track, touching));
    CHECK(line.lap_time_s < Check(ComputeRaceline(track, limits)).lap_time_s);
    CHECK(Clearance(track, line) > 0);
    for (const RacelinePoint& point : line.points) {
      CHECK(track.IsOnRoad(point.position_m, track.Project(point.position_m)));
    }
  }
}

TEST_CASE("a track driven backwards is about as fast") {
  for (const std::string& name : EveryFew(BuiltInTrackNames())) {
    const Track track = *LoadBuiltInTrack(name);
    CHECK(Check(ComputeRaceline(track.Reversed(), {})).lap_time_s ==
          Approx(Check(ComputeRaceline(track, {})).lap_time_s).epsilon(0.02));
  }
}

// A road around r = R (1 + 0.25 cos 3 phi), its rows at even angles.
TrackRows CloverRows(double radius_m, double left_m, double right_m, int num_rows) {
  TrackRows rows;
  rows.name = "clover";
  for (int i = 0; i <= num_rows; ++i) {
    const double phi = 2 * kPi * (i % num_rows) / num_rows;
    const double r = radius_m * (1 + 0.25 * std::cos(3 * phi));
    const double slope = -0.75 * radius_m * std::sin(3 * phi);
    const Vec2 out = DirectionOf(phi);
    const Vec2 along = slope * out + r * LeftNormal(out);
    const Vec2 left = LeftNormal(along / Length(along));
    rows.center_m.push_back(r * out);
    rows.inner_m.push_back(r * out + left_m * left);
    rows.outer_m.push_back(r * out - right_m * left);
  }
  return rows;
}

TEST_CASE("tracks of all sizes, widths and numbers of rows have a line") {
  struct Size {
    double radius_m, left_m, right_m;
    int num_rows;
  };
  // the last two: inner borders that fold in the lobes, and a centerline near one border
  for (const Size& size : {Size{3, 0.5, 0.5, 20},
                           {3, 0.4, 0.4, 2000},
                           {8, 0.5, 0.5, 300},
                           {60, 5, 5, 200},
                           {20, 1, 1, 1500},
                           {2, 0.8, 0.8, 120},
                           {5, 0.2, 1.2, 100}}) {
    INFO(size.radius_m << " m, " << size.num_rows << " rows");
    const Track track =
        MakeTrack(CloverRows(size.radius_m, size.left_m, size.right_m, size.num_rows));
    RacelineLimits limits;
    limits.motor = {{0, 6.5}, {25, 0}};
    const Raceline line = Check(ComputeRaceline(track, limits));
    CHECK(Clearance(track, line) > limits.KeepDistance() - 2e-6);
    CHECK(line.lap_time_s < Check(ComputeCenterline(track, limits)).lap_time_s);
    CHECK(line.lap_time_s < Check(ComputeShortestPath(track, limits)).lap_time_s);
  }
}

TEST_CASE("a road too narrow or too tight is one clear line") {
  RacelineLimits limits;
  limits.car_width_m = 0.3;
  limits.margin_m = 0.1;
  CHECK(
      ComputeRaceline(MakeTrack(StraightRows(3, 0.45, 10)), limits).error().message ==
      "straight: 0.00 m along, the road is 0.450 m wide; a car of 0.300 m with margins of 0.100 m "
      "needs 0.500 m");
  limits.car_width_m = 0.1;
  limits.max_curvature_1pm = 0.4;
  const Result<Raceline> tight = ComputeRaceline(MakeTrack(CircleRows(2, 0.5, 100)), limits);
  REQUIRE_FALSE(tight.ok());
  CHECK(tight.error().message.find("the car's steering turns 2.500 m at least") !=
        std::string::npos);
}

TEST_CASE("limits out of range are refused by name") {
  const Track track = MakeTrack(CircleRows(2, 1, 60));
  const auto message = [&](auto change) {
    RacelineLimits limits;
    change(limits);
    const Result<Raceline> line = ComputeRaceline(track, limits);
    REQUIRE_FALSE(line.ok());
    return line.error().message;
  };
  using Limits = RacelineLimits;
  CHECK(message([](Limits& l) { l.lateral_accel_mps2 = NAN; }) ==
        "lateral_accel_mps2 nan is out of range; expected 0.01 .. 1000");
  CHECK(message([](Limits& l) { l.margin_m = -0.2; }) ==
        "margin_m -0.2 is out of range; expected -0.1 .. 100");
  CHECK(message([](Limits& l) { l.motor = {}; }) == "motor has 0 points; expected 1 .. 1000");
  CHECK(message([](Limits& l) {
          l.motor = {{3, 1}, {3, 0}};
        }) == "motor.speed_mps 3 must be above the one before, 3");
  CHECK(message([](Limits& l) {
          l.motor = {{0, 0}, {3, 1}};
        }) == "motor.accel_mps2 0 is out of range; expected 0.01 .. 1000");
  CHECK(message([](Limits& l) { l.max_curvature_1pm = INFINITY; }).find("max_curvature_1pm inf") ==
        0);
}

TEST_CASE("lines that cannot be driven are refused") {
  const Track track = MakeTrack(CircleRows(2, 1, 60));
  const std::vector<Vec2> two = {{0, 0}, {1, 0}};
  CHECK(DriveLine(track, two, {}).error().message == "a line of 2 points; expected 3 or more");
  const std::vector<Vec2> twice = {{0, 0}, {1, 0}, {1, 0}, {0, 1}};
  CHECK(DriveLine(track, twice, {}).error().message == "points 1 and 2 of the line are the same");
  const std::vector<Vec2> hole = {{0, 0}, {1, 0}, {NAN, 0}, {0, 1}};
  CHECK(DriveLine(track, hole, {}).error().message == "point 2 of the line is not finite");
}

TEST_CASE("a place on the line is found by arc length, over the seam too") {
  const Track track = MakeTrack(CircleRows(2, 1, 400));
  const Raceline line = Check(ComputeCenterline(track, SteadyCar()));
  for (double arc_m = -20; arc_m < 20; arc_m += 0.37) {
    const RacelinePoint at = line.At(arc_m);
    const Vec2 start_m = line.points.front().position_m;
    const double angle_rad = std::atan2(start_m.y, start_m.x) + 2 * kPi * arc_m / line.length_m;
    CHECK(Length(at.position_m - 2 * DirectionOf(angle_rad)) < 0.01);
    CHECK(std::abs(WrapAngle(at.yaw_rad - angle_rad - 0.5 * kPi)) < 0.01);
    CHECK(at.curvature_1pm == Approx(0.5).epsilon(0.01));
    CHECK(at.arc_length_m >= 0);
    CHECK(at.arc_length_m <= line.length_m);
  }
  CHECK(line.At(NAN).position_m == line.points.front().position_m);

  const Track open = MakeTrack(StraightRows(10, 1, 50));
  const Raceline straight = Check(ComputeRaceline(open, SteadyCar()));
  CHECK(straight.At(-1).position_m.x == 0);
  CHECK(straight.At(99).position_m.x == Approx(10));
  CHECK(straight.At(2.5).speed_mps == Approx(std::sqrt(2 * 0.01 * 2.5)).epsilon(1e-6));
}

}  // namespace
}  // namespace lapforge::tracks
