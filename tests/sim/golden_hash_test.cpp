// Tests that drives give the bits that they gave when this was written, in every kind of build.
#include "sim/base/hash.h"
#include "sim/base/rng.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

// The C library's sines differ between processors with and without fused multiply-add, and
// compilers may differ, too.
bool HasGoldenHashes() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  return __GNUC__ == 12 && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

void AddFacts(const StepFacts& facts, StateHasher& hasher) {
  const CarState& car = facts.car;
  hasher.Add(car.position_world_m.x);
  hasher.Add(car.position_world_m.y);
  hasher.Add(car.position_world_m.z);
  hasher.Add(car.yaw_rad);
  hasher.Add(car.velocity_body_mps.x);
  hasher.Add(car.velocity_body_mps.y);
  hasher.Add(car.angular_velocity_body_radps.z);
  for (const double spin_radps : car.wheel_speed_radps) hasher.Add(spin_radps);
  hasher.Add(facts.progress_pct);
  hasher.Add(facts.lap_time_us);
  hasher.Add(facts.reason);
}

// Hash of the facts of 16 cars, half of them steered at random, among walls and over laps.
uint64_t HashOfDrive(const std::string& car_name, bool walls) {
  SimOptions options;
  options.num_envs = 16;
  options.walls = walls;
  SimRig rig(options, ValueOf(LoadBuiltInCar(car_name)), {CircleTrack(3, 1.2), StraightTrack()});
  StateHasher hasher;
  for (int step = 0; step < 400; ++step) {
    rig.Pursue(0.2f);
    for (uint32_t env = 0; env < 16; env += 2) {
      RngStream random(3, env, static_cast<uint32_t>(step / 4), RngPurpose::kTest);
      rig.actions[2 * env] = static_cast<float>(random.Uniform(-1, 1));
      rig.actions[2 * env + 1] = static_cast<float>(random.Uniform(-1, 1));
    }
    rig.Step();
    for (const StepFacts& facts : rig.facts) AddFacts(facts, hasher);
  }
  return hasher.Finish();
}

TEST_CASE("drives give the golden hashes") {
  if (!HasGoldenHashes()) {
    std::cout << "SKIPPED: golden hashes are of another compiler or processor\n";
    return;
  }
  struct Golden {
    const char* car;
    bool walls;
    uint64_t hash;
  };
  const Golden goldens[] = {{"rc_1_18", false, 0x2b346ff078d57573},
                            {"rc_1_18", true, 0xbcc52dea35c85db2},
                            {"rc_1_10", false, 0x4806f762b5876d6a},
                            {"rc_1_10", true, 0xb2849813ea55c2e0}};
  for (const Golden& golden : goldens) {
    CAPTURE(golden.car, golden.walls);
    CHECK(HashOfDrive(golden.car, golden.walls) == golden.hash);
  }
}

}  // namespace
}  // namespace lapforge::sim
