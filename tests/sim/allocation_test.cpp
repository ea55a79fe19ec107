// Tests that a step allocates nothing: our own code and Bullet's, walls touched or not.
#include <LinearMath/btAlignedAllocator.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/sim/sim_fixture.h"

namespace {

std::atomic<int64_t> num_allocations = 0;

void* Count(size_t size) {
  ++num_allocations;
  return std::malloc(size);
}

}  // namespace

namespace lapforge::sim {
namespace {

int64_t AllocationsOf(SimRig& rig, int num_steps) {
  const int64_t before = num_allocations;
  for (int step = 0; step < num_steps; ++step) rig.Step();
  return num_allocations - before;
}

TEST_CASE("steps and respawns allocate nothing") {
  btAlignedAllocSetCustom(Count, std::free);
  SimOptions options = LineOptions(4);
  options.episode.max_steps = 50;

  SECTION("without walls") {
    SimRig rig(options, {CircleTrack()});
    rig.SetActions(0.2f, 0);
    AllocationsOf(rig, 2);
    CHECK(AllocationsOf(rig, 300) == 0);
  }
  SECTION("with all sensors, boxes and everything random") {
    options.objects.count = 4;
    options.objects.placement = ObjectPlacement::kRandom;
    options.objects.crash_margin_m = 0;  // so that contacts come early
    options.randomize.friction_frac = 0.3;
    options.randomize.brightness_levels = 20;
    options.randomize.blur_frac = 1;
    options.sensors.kinds = {"track_state", "lidar",       "camera",
                             "imu",         "wheel_speed", "objects_ahead"};
    options.sensors.camera.noise_levels = 4;
    options.sensors.camera.texel_m = 0.02;
    CarSpec car = TestCar();
    car.name = "a car whose name does not fit into a short string";
    SimRig rig(options, car, {CircleTrack(3, 1.0)});
    rig.SetActions(0.2f, 0);
    AllocationsOf(rig, 1000);
    CHECK(AllocationsOf(rig, 600) == 0);
  }
  SECTION("touching walls, once Bullet has seen its first contacts") {
    options.walls = true;
    SimRig rig(options, {CircleTrack(3, 1.0)});
    rig.SetActions(-0.7f, 0);
    AllocationsOf(rig, 200);
    CHECK(AllocationsOf(rig, 600) == 0);
  }
  btAlignedAllocSetCustom(nullptr, nullptr);
}

TEST_CASE("steps with bots and several cars in a world allocate nothing") {
  btAlignedAllocSetCustom(Count, std::free);
  SimOptions options = LineOptions(4);
  options.episode.max_steps = 50;
  options.cars_per_world = 2;
  options.objects.kind = ObjectKind::kBot;
  options.objects.count = 4;
  options.objects.lane_changes = true;
  options.objects.crash_margin_m = 0;
  options.sensors.kinds = {"track_state", "lidar"};
  SimRig rig(options, {CircleTrack(2, 1.0)});
  rig.SetActions(0.3f, 0);
  AllocationsOf(rig, 1000);
  CHECK(AllocationsOf(rig, 600) == 0);
  btAlignedAllocSetCustom(nullptr, nullptr);
}

}  // namespace
}  // namespace lapforge::sim

void* operator new(size_t size) {
  if (void* memory = Count(size)) return memory;
  throw std::bad_alloc();
}
void* operator new[](size_t size) { return operator new(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Count(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return Count(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
