// Tests the track-state sensor's numbers against spec/learning.md section 2 on tracks with closed
// forms.
#include "sim/sensors/track_state_sensor.h"

#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

const std::vector<double> kLookAheadM = SensorOptions{}.look_ahead_m;

StepFacts FactsAt(const tracks::Track& track, Vec2 point_m, double yaw_rad) {
  StepFacts facts;
  facts.front_point_m = point_m;
  facts.car.yaw_rad = yaw_rad;
  facts.position = track.Project(point_m);
  facts.borders = track.NearestBorders(facts.position);
  facts.heading_error_rad = WrapAngle(yaw_rad - facts.position.tangent_yaw_rad);
  return facts;
}

std::vector<float> Observe(const tracks::Track& track, const StepFacts& facts) {
  const TrackStateSensor sensor(kLookAheadM);
  std::vector<float> numbers(static_cast<size_t>(sensor.size()), 99.0f);
  sensor.Write(track, facts, numbers);
  return numbers;
}

TEST_CASE("the default sensor has 29 numbers") {
  CHECK(TrackStateSensor(kLookAheadM).size() == 29);
}

TEST_CASE("on a straight road every number is known") {
  const tracks::Track track = StraightTrack(20, 0.8);
  StepFacts facts = FactsAt(track, {5, -0.1}, 0.3);
  facts.car.velocity_body_mps = {3, 0.25, 9};
  facts.car.angular_velocity_body_radps = {9, 9, 2};
  facts.action = {0.5, -0.75};
  const std::vector<float> numbers = Observe(track, facts);
  CHECK(numbers[0] == Approx(-0.25));  // 0.1 of 0.4 m to the right
  CHECK(numbers[1] == Approx(0.3));
  CHECK(numbers[2] == Approx(0.5));
  CHECK(numbers[3] == Approx(0.25));
  CHECK(numbers[4] == Approx(0.4));
  CHECK(numbers[5] == Approx(0.5));
  CHECK(numbers[6] == Approx(-0.75));
  for (size_t i = 0; i < kLookAheadM.size(); ++i) {
    CAPTURE(i);
    const Vec2 ahead = Rotate({kLookAheadM[i], 0.1}, -0.3);
    CHECK(numbers[7 + 2 * i] == Approx(ahead.x / (kLookAheadM[i] + 0.3)));
    CHECK(numbers[8 + 2 * i] == Approx(ahead.y / (kLookAheadM[i] + 0.3)));
  }
  CHECK(numbers[27] == Approx(-0.2));
  CHECK(numbers[28] == Approx(-0.2));
}

TEST_CASE("an open road goes on straight beyond its end") {
  const tracks::Track track = StraightTrack(10, 0.8);
  const std::vector<float> numbers = Observe(track, FactsAt(track, {9.5, 0}, 0));
  for (size_t i = 0; i < kLookAheadM.size(); ++i) {
    CHECK(numbers[7 + 2 * i] == Approx(kLookAheadM[i] / (kLookAheadM[i] + 0.3)));
    CHECK(numbers[8 + 2 * i] == Approx(0).margin(1e-6));
  }
}

TEST_CASE("on a ring the points curve to the left and pass the seam") {
  const double radius_m = 3;
  const tracks::Track track = CircleTrack(radius_m);
  // just before the first waypoint, heading along the ring
  const double angle_rad = -0.1;
  const std::vector<float> numbers =
      Observe(track, FactsAt(track, radius_m * DirectionOf(angle_rad), angle_rad + kPi / 2));
  for (size_t i = 0; i < kLookAheadM.size(); ++i) {
    CAPTURE(i);
    const double turn_rad = kLookAheadM[i] / radius_m;
    const double scale = kLookAheadM[i] + 0.3;
    CHECK(numbers[7 + 2 * i] == Approx(radius_m * std::sin(turn_rad) / scale).margin(0.005));
    CHECK(numbers[8 + 2 * i] == Approx(radius_m * (1 - std::cos(turn_rad)) / scale).margin(0.005));
  }
  CHECK(numbers[0] == Approx(0).margin(0.01));
}

TEST_CASE("the left half width scales offsets to the left") {
  tracks::TrackRows rows;
  rows.name = "lopsided";
  for (int i = 0; i <= 10; ++i) {
    const double x = i;
    rows.center_m.push_back({x, 0});
    rows.inner_m.push_back({x, 0.6});
    rows.outer_m.push_back({x, -0.3});
  }
  const tracks::Track track = ValueOf(tracks::Track::FromRows(rows));
  CHECK(Observe(track, FactsAt(track, {5, 0.3}, 0))[0] == Approx(0.5));
  CHECK(Observe(track, FactsAt(track, {5, -0.3}, 0))[0] == Approx(-1));
}

}  // namespace
}  // namespace lapforge::sim
