// Tests boxes on the road: where they stand, what the facts say, that cars run into them.
#include "sim/objects/boxes.h"

#include "sim/objects/object_facts.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

SimOptions BoxOptions(int count, ObjectPlacement placement = ObjectPlacement::kEven) {
  SimOptions options = LineOptions();
  options.objects.count = count;
  options.objects.placement = placement;
  return options;
}

StepFacts Placed(const SimOptions& options, const tracks::Track& forward,
                 const tracks::Track& driven, uint32_t episode_index = 0) {
  StepFacts facts;
  facts.episode_index = episode_index;
  PlaceBoxes(options, forward, driven, facts);
  return facts;
}

TEST_CASE("even boxes stand from the first distance to a metre before the line, lanes alternate") {
  const tracks::Track track = CircleTrack(3, 0.8);  // inner border on the left
  const StepFacts facts = Placed(BoxOptions(4), track, track);
  REQUIRE(facts.num_objects == 4);
  for (int i = 0; i < 4; ++i) {
    CAPTURE(i);
    const double expected_m = 2 + i * (track.length_m() - 1 - 2) / 3;
    CHECK(facts.objects[i].arc_length_m == Approx(expected_m).margin(0.02));
    CHECK(facts.objects[i].lateral_offset_m == Approx(i % 2 == 0 ? 0.2 : -0.2).margin(2e-3));
    CHECK(Length(facts.objects[i].position_m) == Approx(i % 2 == 0 ? 2.8 : 3.2).margin(2e-3));
  }
}

TEST_CASE("driven the other way the same boxes have mirrored places") {
  const tracks::Track track = CircleTrack(3, 0.8);
  const StepFacts there = Placed(BoxOptions(3), track, track);
  const StepFacts back = Placed(BoxOptions(3), track, track.Reversed());
  for (int i = 0; i < 3; ++i) {
    const ObjectFacts& one = there.objects[i];
    const ObjectFacts& other = back.objects[2 - i];
    CHECK(one.position_m == other.position_m);
    CHECK(one.lateral_offset_m == Approx(-other.lateral_offset_m));
    CHECK(one.arc_length_m == Approx(track.length_m() - other.arc_length_m).margin(1e-6));
  }
}

TEST_CASE("listed boxes stand where the lists say") {
  SimOptions options = BoxOptions(2, ObjectPlacement::kListed);
  options.objects.positions_frac = {0.75, 0.25};
  options.objects.lanes = {-1, 1};
  const tracks::Track track = CircleTrack(3, 0.8);
  const StepFacts facts = Placed(options, track, track);
  // in the order of the road; lane 1 is the inner one
  CHECK(Length(facts.objects[0].position_m - Vec2{0, 2.8}) < 0.01);
  CHECK(Length(facts.objects[1].position_m - Vec2{0, -3.2}) < 0.01);
}

TEST_CASE("a distance that leaves no room for all objects is refused with how many fit") {
  const tracks::Track track = CircleTrack(3, 0.8);  // 18.8 m
  struct Case {
    int count;
    ObjectPlacement placement;
    double min_distance_m;
    const char* expected;  // empty: there is room
  };
  for (const Case& one :
       {Case{6, ObjectPlacement::kRandom, 3.1, ""},
        Case{6, ObjectPlacement::kRandom, 3.2, "5 objects fit"},
        Case{2, ObjectPlacement::kRandom, 10, "1 object fits"},
        Case{2, ObjectPlacement::kRandom, 100, "0 objects fit"},
        Case{0, ObjectPlacement::kRandom, 100, ""}, Case{6, ObjectPlacement::kEven, 17.8, ""},
        Case{6, ObjectPlacement::kEven, 17.9, "at most 17.8"}}) {
    CAPTURE(one.count, one.min_distance_m);
    SimOptions options = BoxOptions(one.count, one.placement);
    options.objects.min_distance_m = one.min_distance_m;
    ThreadPool pool(1);
    const auto made = VectorSim::Create(options, TestCar(), {track}, &pool);
    REQUIRE(made.ok() == (std::string(one.expected).empty()));
    if (made.ok()) continue;
    CHECK(made.error().message.find("objects.min_distance_m") == 0);
    CHECK(made.error().message.find(one.expected) != std::string::npos);
  }
}

TEST_CASE("random boxes keep their distance and change with the episode") {
  const SimOptions options = BoxOptions(6, ObjectPlacement::kRandom);
  const tracks::Track track = CircleTrack(3, 0.8);
  int num_left = 0;
  for (uint32_t episode = 0; episode < 100; ++episode) {
    const StepFacts facts = Placed(options, track, track, episode);
    for (int i = 0; i < 6; ++i) {
      const double gap_m = track.WrapArcLength(facts.objects[(i + 1) % 6].arc_length_m -
                                               facts.objects[i].arc_length_m);
      CHECK(gap_m > 1.98);
      num_left += facts.objects[i].lateral_offset_m > 0 ? 1 : 0;
    }
  }
  CHECK(std::abs(num_left - 300) < 60);
  const StepFacts first = Placed(options, track, track, 0);
  CHECK(first.objects[0].position_m == Placed(options, track, track, 0).objects[0].position_m);
  CHECK(first.objects[0].position_m != Placed(options, track, track, 1).objects[0].position_m);
}

TEST_CASE("the neighbours along the road wrap around, as DeepRacer's do") {
  const SimOptions options = BoxOptions(3);
  const tracks::Track track = CircleTrack(3, 0.8);
  StepFacts facts = Placed(options, track, track);
  const CarSpec car = TestCar();
  const auto neighbours = [&](double arc_m) {
    facts.position.arc_length_m = arc_m;
    MeasureObjects(options.objects, car, facts);
    return std::pair{facts.previous_object, facts.next_object};
  };
  CHECK(neighbours(0.5) == std::pair{2, 0});
  CHECK(neighbours(facts.objects[0].arc_length_m + 0.1) == std::pair{0, 1});
  CHECK(neighbours(facts.objects[1].arc_length_m + 0.1) == std::pair{1, 2});
  CHECK(neighbours(track.length_m() - 0.1) == std::pair{2, 0});
  facts.num_objects = 0;
  facts.next_object = facts.previous_object = 0;
  CHECK(neighbours(1) == std::pair{0, 0});
}

TEST_CASE("a corner of the car in a box's margin is a crash") {
  const ObjectOptions objects;
  const CarSpec car = TestCar();
  StepFacts facts;
  facts.num_objects = 1;
  facts.objects[0] = {.position_m = {1, 0}, .length_m = 0.4f, .width_m = 0.3f, .height_m = 0.25f};
  const auto is_crashed = [&](double x_m, double y_m, double yaw_rad) {
    facts.car.position_world_m = {x_m, y_m, 0.04};
    facts.car.yaw_rad = yaw_rad;
    MeasureObjects(objects, car, facts);
    return facts.is_crashed;
  };
  const double touching_m = 1 - 0.2 - 0.05 - car.body_length_m / 2;
  CHECK(!is_crashed(touching_m - 0.01, 0, 0));
  CHECK(is_crashed(touching_m + 0.01, 0, 0));
  const double beside_m = 0.15 + 0.05 + car.body_width_m / 2;
  CHECK(!is_crashed(1, beside_m + 0.01, 0));
  CHECK(is_crashed(1, beside_m - 0.01, 0));
  // across, the longer side points at the box
  CHECK(is_crashed(1, beside_m + 0.03, kPi / 2));
  CHECK(!is_crashed(3, 0, 0));
}

TEST_CASE("a car that runs into a box ends its episode") {
  SimOptions options = BoxOptions(1, ObjectPlacement::kListed);
  options.objects.positions_frac = {0.5};
  options.objects.lanes = {0};  // in the middle of the road
  SimRig rig(options, {StraightTrack(12, 1.2)});
  rig.SetActions(0, 0.3f);
  int num_steps = 0;
  while (!rig.facts[0].ended() && num_steps < 200) {
    rig.Step();
    ++num_steps;
  }
  CHECK(rig.facts[0].reason == EndReason::kCrashed);
  CHECK(rig.facts[0].terminated);
  CHECK(rig.facts[0].is_crashed);
  CHECK(rig.facts[0].front_point_m.x == Approx(6 - 0.2 - 0.05).margin(0.25));
}

TEST_CASE("a box stops a car that pushes against it") {
  const CarSpec spec = TestCar();
  const double substep_s = 1 / 120.0;
  const auto model = std::make_shared<const VehicleModel>(spec, substep_s);
  CarWorld world(model, nullptr, {2, {0.2, 0.15, 0.125}});
  world.PlaceBox(0, {2, 0}, 0);
  world.PlaceBox(1, {-3, 5}, 1);
  world.set_state(StandingBody(*model, {0, 0}, 0, 2));
  for (int i = 0; i < 360; ++i) {
    if (i % 8 == 0) world.BeginControlStep();
    world.Substep({0, 2});
  }
  const double front_m = world.state().position_m[0] + spec.body_length_m / 2;
  CHECK(front_m > 1.6);
  CHECK(front_m < 1.82);

  // out of the way it does not
  world.PlaceBox(0, {2, 3}, 0);
  world.set_state(StandingBody(*model, {0, 0}, 0, 2));
  for (int i = 0; i < 360; ++i) {
    if (i % 8 == 0) world.BeginControlStep();
    world.Substep({0, 2});
  }
  CHECK(world.state().position_m[0] > 5);
}

TEST_CASE("a start beside a box is on the other lane") {
  SimOptions options = BoxOptions(1, ObjectPlacement::kListed);
  options.objects.positions_frac = {0.02};
  options.objects.lanes = {1};
  SimRig rig(options, {CircleTrack(3, 1.0)});
  CHECK(rig.sim().now(0).position.lateral_offset_m == Approx(-0.25).margin(0.01));
  options.objects.positions_frac = {0.5};
  SimRig free(options, {CircleTrack(3, 1.0)});
  CHECK(free.sim().now(0).position.lateral_offset_m == Approx(0).margin(0.01));
}

}  // namespace
}  // namespace lapforge::sim
