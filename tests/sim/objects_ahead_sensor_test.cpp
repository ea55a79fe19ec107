// Tests the objects-ahead sensor's numbers on tracks with closed forms, and in a simulator.
#include "sim/sensors/objects_ahead_sensor.h"

#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

constexpr size_t kNumNumbers = ObjectsAheadSensor::kNumNumbers;
constexpr double kPassedM = 0.5;

// Objects of these middles, in the order of their arc lengths.
StepFacts FactsWith(const tracks::Track& track, Vec2 car_m, std::vector<Vec2> middles_m) {
  StepFacts facts;
  facts.front_point_m = car_m;
  facts.position = track.Project(car_m);
  facts.num_objects = static_cast<int32_t>(middles_m.size());
  for (size_t i = 0; i < middles_m.size(); ++i) {
    const tracks::TrackPosition position = track.Project(middles_m[i]);
    facts.objects[i].position_m = middles_m[i];
    facts.objects[i].arc_length_m = position.arc_length_m;
    facts.objects[i].lateral_offset_m = position.lateral_offset_m;
  }
  return facts;
}

std::vector<float> Observe(const tracks::Track& track, const StepFacts& facts, int count = 2) {
  const ObjectsAheadSensor sensor(count, kPassedM);
  std::vector<float> numbers(static_cast<size_t>(sensor.size()), 99.0f);
  sensor.Write(track, facts, numbers);
  return numbers;
}

TEST_CASE("on a straight road every number of an object is known") {
  const tracks::Track track = StraightTrack(20, 0.8);
  StepFacts facts = FactsWith(track, {5, -0.1}, {{2, 0}, {7, 0.2}, {9, -0.3}, {12, 0}});
  facts.car.yaw_rad = 0.3;
  facts.objects[1].speed_mps = 1.5;
  const std::vector<float> numbers = Observe(track, facts);
  REQUIRE(numbers.size() == 2 * kNumNumbers);
  const Vec2 first = Rotate({2, 0.3}, -0.3);
  CHECK(numbers[0] == 1);
  CHECK(numbers[1] == Approx(first.x / 2.3));
  CHECK(numbers[2] == Approx(first.y / 2.3));
  CHECK(numbers[3] == Approx(0.5));  // 0.2 of 0.4 m
  CHECK(numbers[4] == Approx(2.0 / 3.0));
  CHECK(numbers[5] == Approx(0.75));
  const Vec2 second = Rotate({4, -0.2}, -0.3);
  CHECK(numbers[6] == 1);
  CHECK(numbers[7] == Approx(second.x / 4.3));
  CHECK(numbers[8] == Approx(second.y / 4.3));
  CHECK(numbers[9] == Approx(-0.75));
  CHECK(numbers[10] == Approx(4.0 / 5.0));
  CHECK(numbers[11] == 0);
}

TEST_CASE("where there are no objects ahead there are zeros") {
  const tracks::Track track = StraightTrack(20, 0.8);
  const std::vector<float> none = Observe(track, FactsWith(track, {5, 0}, {}));
  CHECK(none == std::vector<float>(2 * kNumNumbers, 0.0f));
  const std::vector<float> behind = Observe(track, FactsWith(track, {5, 0}, {{1, 0}, {4.4, 0}}));
  CHECK(behind == std::vector<float>(2 * kNumNumbers, 0.0f));
}

TEST_CASE("an object beside the car is there until the tail has passed it") {
  const tracks::Track track = StraightTrack(20, 0.8);
  const std::vector<float> numbers = Observe(track, FactsWith(track, {5, 0}, {{4.6, 0.2}}));
  CHECK(numbers[0] == 1);
  CHECK(numbers[1] == Approx(-0.4 / 0.7));
  CHECK(numbers[4] == Approx(-0.4 / 1.4));
  CHECK(numbers[6] == 0);
}

TEST_CASE("on a ring each object is ahead once, past the seam, nearest first") {
  const double radius_m = 3;
  const tracks::Track track = CircleTrack(radius_m);
  const auto at = [&](double angle_rad) { return radius_m * DirectionOf(angle_rad); };
  // a metre along the ring before the seam; objects 0.4 m behind it, 1 m and 2 m beyond it
  StepFacts facts = FactsWith(track, at(-1 / radius_m),
                              {at(1 / radius_m), at(2 / radius_m), at(-1.4 / radius_m)});
  facts.car.yaw_rad = -1 / radius_m + kPi / 2;
  const std::vector<float> numbers = Observe(track, facts, 4);
  const std::vector<double> ways_m = {-0.4, 2, 3};
  for (size_t i = 0; i < ways_m.size(); ++i) {
    CAPTURE(i);
    const float* object = &numbers[i * kNumNumbers];
    const double turn_rad = ways_m[i] / radius_m;
    const double scale = std::abs(ways_m[i]) + 0.3;
    CHECK(object[0] == 1);
    CHECK(object[1] == Approx(radius_m * std::sin(turn_rad) / scale).margin(0.005));
    CHECK(object[2] == Approx(radius_m * (1 - std::cos(turn_rad)) / scale).margin(0.005));
    CHECK(object[4] == Approx(ways_m[i] / (1 + std::abs(ways_m[i]))).margin(0.005));
  }
  CHECK(numbers[3 * kNumNumbers] == 0);
}

TEST_CASE("a driving car sees its boxes come nearer and go") {
  SimOptions options = LineOptions();
  options.objects.count = 3;
  options.objects.placement = ObjectPlacement::kListed;
  options.objects.positions_frac = {0.2, 0.5, 0.9};
  options.objects.lanes = {1, -1, 1};
  options.sensors.kinds = {"objects_ahead"};
  options.sensors.num_objects_ahead = 1;
  SimRig rig(options, {CircleTrack(4, 2.4)});
  int num_passed = 0;
  float last = rig.Row()[4];
  for (int step = 0; step < 200; ++step) {
    rig.Pursue(0);
    rig.Step();
    REQUIRE(!rig.facts[0].ended());
    const ObjectFacts& next = rig.facts[0].objects[static_cast<size_t>(rig.facts[0].next_object)];
    const float nearness = rig.Row()[4];
    CHECK(rig.Row()[0] == 1);
    CHECK(std::abs(rig.Row()[3]) == Approx(0.5).margin(0.01));
    CHECK((nearness < 0 || rig.Row()[3] * next.lateral_offset_m > 0));
    num_passed += nearness > last ? 1 : 0;
    last = nearness;
  }
  CHECK(num_passed >= 3);
}

}  // namespace
}  // namespace lapforge::sim
