// Tests saving and restoring: 10,000 steps to the same bits, and refusal of everything else.
#include "sim/base/rng.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

constexpr int kNumEnvs = 3;

SimOptions WallOptions(bool walls) {
  SimOptions options;
  options.num_envs = kNumEnvs;
  options.walls = walls;
  // a car may stay pressed against a wall
  options.episode.stuck_steps = 0;
  options.episode.reversed_steps = 0;
  options.episode.max_steps = 700;
  return options;
}

// Env 0 drives into the wall and keeps pushing; the others wander.
void FillActions(int step, std::vector<float>& actions) {
  for (size_t i = 0; i < kNumEnvs; ++i) {
    RngStream random(3, static_cast<uint32_t>(i), static_cast<uint32_t>(step / 5),
                     RngPurpose::kTest);
    actions[2 * i] = i == 0 ? -1.0f : static_cast<float>(random.Uniform(-1, 1));
    actions[2 * i + 1] = static_cast<float>(random.Uniform(-0.5, 0.5));
  }
}

void Advance(SimRig& rig, int from_step, int to_step) {
  for (int step = from_step; step < to_step; ++step) {
    FillActions(step, rig.actions);
    rig.Step();
  }
}

void CheckContinuation(bool walls, int save_step) {
  constexpr int kNumSteps = 10000;
  const std::vector<tracks::Track> tracks = {CircleTrack(3, 1.0)};
  SimRig original(WallOptions(walls), tracks);
  Advance(original, 0, save_step);
  const std::vector<std::byte> saved = original.sim().Save();

  SimRig fresh(WallOptions(walls), tracks);
  SimRig used(WallOptions(walls), tracks, 2);
  Advance(used, 5000, 5123);
  for (SimRig* rig : {&fresh, &used}) {
    const Result<void> restored = rig->sim().Restore(saved);
    INFO((restored.ok() ? "" : restored.error().message));
    REQUIRE(restored.ok());
    REQUIRE(rig->sim().Save() == saved);
  }
  for (int step = save_step; step < save_step + kNumSteps; ++step) {
    for (SimRig* rig : {&original, &fresh, &used}) Advance(*rig, step, step + 1);
    const uint64_t hash = original.sim().StateHash();
    REQUIRE(fresh.sim().StateHash() == hash);
    REQUIRE(used.sim().StateHash() == hash);
    REQUIRE(fresh.observations == original.observations);
  }
}

TEST_CASE("10,000 steps after a restore give the same bits, without walls") {
  CheckContinuation(false, 57);
}

TEST_CASE("10,000 steps after a restore give the same bits, pressed against a wall") {
  // the save falls into a time at which env 0 touches: see the test below
  CheckContinuation(true, 100);
}

TEST_CASE("10,000 steps after a restore give the same bits, at many other moments") {
  for (const int save_step : {3, 31, 250}) CheckContinuation(true, save_step);
}

TEST_CASE("the car of these tests touches the wall when it is saved") {
  SimRig with_walls(WallOptions(true), {CircleTrack(3, 1.0)});
  SimRig without(WallOptions(false), {CircleTrack(3, 1.0)});
  Advance(with_walls, 0, 100);
  Advance(without, 0, 100);
  // wheels turn faster than the car moves
  const CarState& car = with_walls.sim().now(0).car;
  CHECK(std::abs(car.velocity_body_mps.x) < 0.5 * car.drive_speed_mps);
  CHECK(with_walls.sim().StateHash(0) != without.sim().StateHash(0));
}

TEST_CASE("other bytes are refused and change nothing") {
  SimRig rig(WallOptions(false), {CircleTrack()});
  Advance(rig, 0, 20);
  const std::vector<std::byte> saved = rig.sim().Save();
  Advance(rig, 20, 40);
  const uint64_t hash = rig.sim().StateHash();
  const auto refuse = [&](std::span<const std::byte> bytes) {
    const Result<void> restored = rig.sim().Restore(bytes);
    CHECK(!restored.ok());
    CHECK(rig.sim().StateHash() == hash);
    return restored.ok() ? std::string() : restored.error().message;
  };

  CHECK(refuse({}).find("not a saved simulator state") != std::string::npos);
  for (size_t size = 0; size < saved.size(); size += 97) {
    refuse(std::span(saved).first(size));
  }
  for (size_t i = 0; i < saved.size(); i += 41) {
    std::vector<std::byte> damaged = saved;
    damaged[i] ^= std::byte{4};
    refuse(damaged);
  }
  std::vector<std::byte> longer = saved;
  longer.push_back(std::byte{0});
  refuse(longer);

  SimOptions other = WallOptions(false);
  other.seed = 9;
  CHECK(refuse(SimRig(other, {CircleTrack()}).sim().Save()).find("other options") !=
        std::string::npos);
  refuse(SimRig(WallOptions(false), {CircleTrack(4)}).sim().Save());
  CarSpec car = TestCar();
  car.friction = 0.9;
  refuse(SimRig(WallOptions(false), car, {CircleTrack()}).sim().Save());
  CHECK(rig.sim().Restore(saved).ok());
}

}  // namespace
}  // namespace lapforge::sim
