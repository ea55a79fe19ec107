// Tests all searches against plain loops over every segment, at random points and on random drives
// over every track at hand: nearest points with and without hints, borders, inside and outside.
#include <limits>

#include "tests/tracks/track_samples.h"
#include "tracks/geometry/polyline.h"

namespace lapforge::tracks {
namespace {

// The nearest point by a loop with textbook formulas.
struct Reference {
  double distance_m = std::numeric_limits<double>::infinity();
  double arc_m = 0;
  Vec2 point_m;
};

Reference NearestByLoop(const std::vector<Vec2>& line, Vec2 point_m) {
  Reference nearest;
  double arc_m = 0;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    const Vec2 along = line[i + 1] - line[i];
    const double length_m = Length(along);
    const double share =
        length_m > 0 ? Clamp(Dot(point_m - line[i], along) / (length_m * length_m), 0.0, 1.0) : 0.0;
    const Vec2 candidate_m = Lerp(line[i], line[i + 1], share);
    const double distance_m = Length(point_m - candidate_m);
    if (distance_m < nearest.distance_m) {
      nearest = {distance_m, arc_m + share * length_m, candidate_m};
    }
    arc_m += length_m;
  }
  return nearest;
}

// Inside by summing the angles under which the edges are seen: independent of ray crossings.
bool IsInsideByWinding(const std::vector<Vec2>& ring, Vec2 point_m) {
  double angle_rad = 0;
  for (size_t i = 0; i < ring.size(); ++i) {
    const Vec2 a = ring[i] - point_m;
    const Vec2 b = ring[(i + 1) % ring.size()] - point_m;
    angle_rad += std::atan2(Cross(a, b), Dot(a, b));
  }
  return std::abs(angle_rad) > kPi;
}

struct Lines {
  explicit Lines(const Track& track) {
    for (int i = 0; i < track.num_waypoints(); ++i) {
      center.push_back(track.waypoint(i).center_m);
      left.push_back(track.waypoint(i).left_m);
      right.push_back(track.waypoint(i).right_m);
    }
  }
  std::vector<Vec2> center, left, right;
};

bool IsOnRoadByWinding(const Track& track, const Lines& lines, Vec2 point_m) {
  if (track.is_closed()) {
    return IsInsideByWinding(lines.left, point_m) != IsInsideByWinding(lines.right, point_m);
  }
  std::vector<Vec2> outline = lines.left;
  outline.insert(outline.end(), lines.right.rbegin(), lines.right.rend());
  return IsInsideByWinding(outline, point_m);
}

// Anywhere on the road, beside it and far from it.
Vec2 RandomPoint(const Track& track, RngStream& random) {
  const double arc_m = random.Uniform(0, track.length_m());
  return track.PointAt(arc_m, (random.Below(10) == 0 ? 3.0 : 0.4) * random.Normal());
}

void CheckEqual(const TrackPosition& a, const TrackPosition& b) {
  REQUIRE(a.segment_index == b.segment_index);
  REQUIRE(a.arc_length_m == b.arc_length_m);
  REQUIRE(a.lateral_offset_m == b.lateral_offset_m);
  REQUIRE(a.nearest_center_m == b.nearest_center_m);
}

TEST_CASE("nearest points, borders and road agree with plain loops") {
  uint32_t track_index = 0;
  for (const Track& track : AllTracks()) {
    INFO(track.name() << " reversed " << track.is_reversed());
    const Lines lines(track);
    RngStream random(7, track_index++, 0, RngPurpose::kTest);
    for (int i = 0; i < 2000; ++i) {
      const Vec2 point_m = RandomPoint(track, random);
      const Reference expected = NearestByLoop(lines.center, point_m);
      const TrackPosition position = track.Project(point_m);
      REQUIRE(std::abs(position.lateral_offset_m) == Approx(expected.distance_m).margin(1e-12));
      REQUIRE(position.arc_length_m == Approx(expected.arc_m).margin(1e-9));

      const BorderPoints borders = track.NearestBorders(position);
      const Vec2 center_m = position.nearest_center_m;
      REQUIRE(Length(borders.left_m - center_m) ==
              Approx(NearestByLoop(lines.left, center_m).distance_m).margin(1e-12));
      REQUIRE(Length(borders.right_m - center_m) ==
              Approx(NearestByLoop(lines.right, center_m).distance_m).margin(1e-12));
      REQUIRE(track.IsOnRoad(point_m, position) == IsOnRoadByWinding(track, lines, point_m));
    }
  }
}

TEST_CASE("points seen from afar and vertices of the borders are not on the road") {
  for (const Track& track : AllTracks()) {
    INFO(track.name());
    for (int i = 0; i < track.num_waypoints(); ++i) {
      const auto& [center_m, left_m, right_m] = track.waypoint(i);
      const TrackPosition near = track.Project(center_m);
      REQUIRE_FALSE(track.IsOnRoad(left_m, near));
      REQUIRE_FALSE(track.IsOnRoad(right_m, near));
      REQUIRE_FALSE(track.IsOnRoad({1e9, center_m.y}, near));
      REQUIRE_FALSE(track.IsOnRoad({NAN, center_m.y}, near));
      REQUIRE_FALSE(track.IsOnRoad({center_m.x, NAN}, near));
    }
  }
}

TEST_CASE("with a hint the same point is found on every drive") {
  uint32_t track_index = 0;
  for (const Track& track : AllTracks()) {
    INFO(track.name() << " reversed " << track.is_reversed());
    RngStream random(8, track_index++, 0, RngPurpose::kTest);
    double arc_m = 0;
    double lateral_m = 0;
    int hint = track.num_segments() / 2;  // far off at first
    for (int i = 0; i < 5000; ++i) {
      arc_m += random.Uniform(-0.2, 0.6);
      lateral_m = Clamp(lateral_m + random.Uniform(-0.2, 0.2), -1.2, 1.2);
      const Vec2 point_m = track.PointAt(arc_m, lateral_m);
      const TrackPosition position = track.ProjectNear(point_m, hint);
      CheckEqual(position, track.Project(point_m));
      hint = position.segment_index;
    }
  }
}

TEST_CASE("any hint gives the same point") {
  uint32_t track_index = 0;
  for (const Track& track : AllTracks()) {
    INFO(track.name());
    RngStream random(9, track_index++, 0, RngPurpose::kTest);
    for (int i = 0; i < 1000; ++i) {
      const Vec2 point_m = RandomPoint(track, random);
      const auto hint = static_cast<int>(random.Below(track.num_segments()));
      CheckEqual(track.ProjectNear(point_m, hint), track.Project(point_m));
    }
  }
}

// Steps of a random length, each turning by a random angle; with a small spread of angles smooth,
// with a large one full of spikes, loops and crossings.
std::vector<Vec2> RandomWalk(Vec2 start_m, double bend_rad, bool is_ring, RngStream& random) {
  std::vector<Vec2> line = {start_m};
  double yaw_rad = 0;
  double turn_rad = 0;
  for (int i = 0; i < 80; ++i) {
    turn_rad = 0.7 * turn_rad + bend_rad * random.Normal();
    yaw_rad += turn_rad;
    line.push_back(line.back() + random.Uniform(0.05, 0.3) * DirectionOf(yaw_rad));
  }
  if (is_ring) line.push_back(line.front());
  return line;
}

TEST_CASE("on lines of every shape a hint gives the same point as a scan") {
  RngStream random(13, 0, 0, RngPurpose::kTest);
  const double bends_rad[] = {0.01, 0.05, 0.1, 0.2, 0.4, 1};
  for (int shape = 0; shape < 300; ++shape) {
    const Vec2 start_m = shape % 3 == 0 ? Vec2{9e4, -9e4} : Vec2{};
    const std::vector<Vec2> vertices =
        RandomWalk(start_m, bends_rad[shape % 6], shape % 2 == 0, random);
    const Polyline line(vertices, shape % 2 == 0);
    for (int i = 0; i < 2000; ++i) {
      const auto segment = static_cast<int>(random.Below(line.num_segments()));
      const Vec2 along = line.direction(segment) / Length(line.direction(segment));
      const Vec2 foot_m =
          Lerp(line.vertex(segment), line.vertex(segment + 1), random.Uniform(-0.2, 1.2));
      const Vec2 point_m = foot_m + random.Uniform(-1, 1) * LeftNormal(along);
      const NearestPoint expected = line.Project(point_m);
      const int near =
          Clamp(segment + static_cast<int>(random.Below(5)) - 2, 0, line.num_segments() - 1);
      const NearestPoint found = line.ProjectNear(point_m, near);
      INFO("shape " << shape << " segment " << segment << " point " << point_m.x << " "
                    << point_m.y);
      REQUIRE(found.segment == expected.segment);
      REQUIRE(found.fraction == expected.fraction);
      REQUIRE(found.point_m == expected.point_m);
      REQUIRE(found.distance_m == expected.distance_m);
    }
  }
}

TEST_CASE("of equally near segments the first wins") {
  // the point is equally far from all four sides, and on the seam the end meets the begin
  const std::vector<Vec2> square = {{1, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  const Polyline ring(square, true);
  CHECK(ring.Project({0, 0}).segment == 0);
  CHECK(ring.Project({0, 0}).point_m == Vec2{1, 0});
  CHECK(ring.Project({2, -2}).segment == 0);
  CHECK(ring.Project({2, -2}).fraction == 0);
  CHECK(ring.Project({-2, 2}).segment == 1);
  CHECK(ring.Project({-2, 2}).fraction == 1);
  for (int hint = 0; hint < 4; ++hint) CHECK(ring.ProjectNear({0, 0}, hint).segment == 0);
}

TEST_CASE("vertices may coincide") {
  const std::vector<Vec2> line = {{0, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 1}};
  const Polyline open(line, false);
  CHECK(open.length_m() == 2);
  CHECK(open.Project({2, -1}).point_m == Vec2{1, 0});
  for (int hint = 0; hint < 4; ++hint) CHECK(open.ProjectNear({1.1, 0.9}, hint).segment == 3);
}

TEST_CASE("a reversed view equals the file with its rows reversed, bit by bit") {
  for (const Track& track : AllTracks()) {
    INFO(track.name());
    const Result<Track> reread = ParseNpyTrack(TrackToNpy(track), track.name());
    REQUIRE(reread.ok());
    REQUIRE(reread->num_waypoints() == track.num_waypoints());
    RngStream random(10, 0, 0, RngPurpose::kTest);
    for (int i = 0; i < 200; ++i) {
      const Vec2 point_m = RandomPoint(track, random);
      const TrackPosition position = track.Project(point_m);
      CheckEqual(position, reread->Project(point_m));
      REQUIRE(track.NearestBorders(position).left_m == reread->NearestBorders(position).left_m);
      REQUIRE(track.IsOnRoad(point_m, position) == reread->IsOnRoad(point_m, position));
      const double arc_m = position.arc_length_m;
      REQUIRE(track.CurvatureAt(arc_m) == reread->CurvatureAt(arc_m));
      REQUIRE(track.HalfWidthsAt(arc_m).left_m == reread->HalfWidthsAt(arc_m).left_m);
    }
  }
}

}  // namespace
}  // namespace lapforge::tracks
