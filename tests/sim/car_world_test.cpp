// Tests that the short substeps of CarWorld give Bullet's own bits, in and out of reach of walls.
#include <cstring>

#include "sim/base/rng.h"
#include "tests/sim/bullet_oracle.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

constexpr double kSubstepS = 1 / 120.0;
constexpr int kSubstepsPerControl = 8;

// A room of 4 x 3 m with a wall standing in it, in pieces of a metre and less.
std::vector<WallSegment> Room() {
  const std::vector<Vec2> corners = {{-2, -1.5}, {2, -1.5}, {2, 1.5}, {-2, 1.5}, {-2, -1.5}};
  std::vector<WallSegment> walls = {{{0.6, 0.4}, {1.2, 0.9}}};
  for (size_t i = 0; i + 1 < corners.size(); ++i) {
    for (int piece = 0; piece < 4; ++piece) {
      walls.push_back({Lerp(corners[i], corners[i + 1], piece / 4.0),
                       Lerp(corners[i], corners[i + 1], (piece + 1) / 4.0)});
    }
  }
  return walls;
}

bool HasSameBits(const BodyState& a, const BodyState& b) {
  return std::memcmp(&a, &b, sizeof(BodyState)) == 0;
}

// Random commands, held for some control steps; returns the number of contacts Bullet solved.
int CompareDrives(const CarSpec& spec, const std::vector<WallSegment>& walls, int num_control_steps,
                  uint32_t drive) {
  const auto model = std::make_shared<const VehicleModel>(spec, kSubstepS);
  const auto shapes = walls.empty() ? nullptr : std::make_shared<const WallShapes>(walls);
  CarWorld world(model, shapes);
  BulletOracle oracle(model, walls);
  const BodyState start = StandingBody(*model, {-1, 0}, 0.3 * drive, 1);
  world.set_state(start);
  oracle.SetState(start);
  RngStream random(11, drive, 0, RngPurpose::kTest);
  DriveInput input;
  for (int step = 0; step < num_control_steps; ++step) {
    if (step % 6 == 0) {
      input = {static_cast<float>(random.Uniform(-0.5, 0.5)),
               static_cast<float>(random.Uniform(-1, 4))};
    }
    world.BeginControlStep();
    oracle.BeginControlStep();
    for (int i = 0; i < kSubstepsPerControl; ++i) {
      world.Substep(input);
      oracle.Substep(input);
      CAPTURE(spec.name, drive, step, i);
      REQUIRE(HasSameBits(world.state(), oracle.state()));
    }
  }
  return oracle.num_contacts();
}

TEST_CASE("without walls a drive has Bullet's own bits") {
  for (const std::string& name : BuiltInCarNames()) {
    CHECK(CompareDrives(ValueOf(LoadBuiltInCar(name)), {}, 600, 1) == 0);
  }
}

TEST_CASE("among walls a drive has Bullet's own bits, touching and not") {
  for (const std::string& name : BuiltInCarNames()) {
    int num_contacts = 0;
    for (uint32_t drive = 0; drive < 12; ++drive) {
      num_contacts += CompareDrives(ValueOf(LoadBuiltInCar(name)), Room(), 300, drive);
    }
    CHECK(num_contacts > 500);
  }
}

TEST_CASE("a car thrown through the air has Bullet's own bits") {
  const auto model = std::make_shared<const VehicleModel>(TestCar(), kSubstepS);
  CarWorld world(model, std::make_shared<const WallShapes>(Room()));
  BulletOracle oracle(model, Room());
  BodyState state = StandingBody(*model, {0, -1}, 0.4, 3);
  state.position_m[2] = 0.4f;
  state.angular_velocity_radps[0] = 9;
  state.angular_velocity_radps[1] = -4;
  world.set_state(state);
  oracle.SetState(state);
  for (int i = 0; i < 600; ++i) {
    world.Substep({0.1f, 2});
    oracle.Substep({0.1f, 2});
    CAPTURE(i);
    REQUIRE(HasSameBits(world.state(), oracle.state()));
  }
}

double DistanceTo(const WallSegment& wall, Vec2 point_m) {
  const Vec2 along = wall.to_m - wall.from_m;
  const double fraction = Dot(point_m - wall.from_m, along) / Dot(along, along);
  return Length(point_m - Lerp(wall.from_m, wall.to_m, Clamp(fraction, 0.0, 1.0)));
}

TEST_CASE("the field of walls never calls a place free that is not, and most that are") {
  const std::vector<WallSegment> walls = Room();
  const WallField field(walls);
  RngStream random(5, 0, 0, RngPurpose::kTest);
  for (int i = 0; i < 20000; ++i) {
    const Vec2 point_m = {random.Uniform(-4, 4), random.Uniform(-4, 4)};
    const double wanted_m = random.Uniform(0.05, 1);
    double distance_m = 1e9;
    for (const WallSegment& wall : walls) {
      distance_m = std::min(distance_m, DistanceTo(wall, point_m));
    }
    CAPTURE(point_m.x, point_m.y, wanted_m, distance_m);
    const bool is_free = field.IsFree(static_cast<float>(point_m.x), static_cast<float>(point_m.y),
                                      static_cast<float>(wanted_m));
    if (is_free) REQUIRE(distance_m > wanted_m);
    if (wanted_m < 0.92 && distance_m > wanted_m + 0.15) REQUIRE(is_free);
  }
  CHECK(WallField({}).IsFree(0, 0, 1));
  CHECK(field.IsFree(std::numeric_limits<float>::quiet_NaN(), 0, 0.5f));
}

}  // namespace
}  // namespace lapforge::sim
