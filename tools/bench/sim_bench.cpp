#include "tools/bench/sim_bench.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "sim/vector_sim.h"

namespace lapforge::bench {
namespace {

struct Scene {
  const char* name;
  bool walls;
  int num_threads;
  int num_envs;
};

constexpr Scene kScenes[] = {
    {"state", false, 1, 64},   {"state", false, 2, 64},  {"state", false, 1, 4096},
    {"state", false, 2, 4096}, {"walls", true, 1, 64},   {"walls", true, 2, 64},
    {"walls", true, 1, 4096},  {"walls", true, 2, 4096},
};

// Steps on which nothing is timed: pages, caches and Bullet's pools settle.
constexpr int kWarmUpSteps = 10;
constexpr double kLookAheadM = 0.6;

// A simulator with its buffers, and a driver that needs no learner.
class Drive {
 public:
  Drive(sim::VectorSim& sim)
      : sim_(sim),
        actions_(2 * static_cast<size_t>(sim.num_envs())),
        observations_(static_cast<size_t>(sim.num_envs()) * sim.observation_spec().row_bytes),
        final_observations_(observations_.size()),
        facts_(static_cast<size_t>(sim.num_envs())) {
    sim_.Reset(observations_);
    for (int i = 0; i < kWarmUpSteps; ++i) sim_.Step(Batch());
  }

  sim::StepBatch Batch() { return {actions_, observations_, final_observations_, facts_}; }

  // Steers every car along the circle through its rear axle and the center line ahead.
  void Decide() {
    for (size_t i = 0; i < facts_.size(); ++i) {
      const sim::StepFacts& facts = facts_[i];
      const tracks::Track& track = sim_.tracks()[static_cast<size_t>(facts.track_index)];
      const double length_m = sim_.car().wheelbase_m();
      const Pose2 rear = {facts.front_point_m - length_m * DirectionOf(facts.car.yaw_rad),
                          facts.car.yaw_rad};
      const Vec2 goal_m = rear.ToLocal(track.CenterAt(facts.position.arc_length_m + kLookAheadM));
      const double curvature_1pm = 2 * goal_m.y / Dot(goal_m, goal_m);
      const double steering_rad = std::atan(curvature_1pm * length_m);
      actions_[2 * i] =
          static_cast<float>(Clamp(steering_rad / sim_.car().max_steering_rad, -1.0, 1.0));
      actions_[2 * i + 1] = -0.4f;
    }
  }

 private:
  sim::VectorSim& sim_;
  std::vector<float> actions_;
  std::vector<std::byte> observations_;
  std::vector<std::byte> final_observations_;
  std::vector<sim::StepFacts> facts_;
};

double SecondsOf(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// Time in Step alone, deciding left out.
double TimeSteps(sim::VectorSim& sim, Drive& drive, int num_steps) {
  std::chrono::steady_clock::duration spent{};
  for (int step = 0; step < num_steps; ++step) {
    drive.Decide();
    const auto begin = std::chrono::steady_clock::now();
    sim.Step(drive.Batch());
    spent += std::chrono::steady_clock::now() - begin;
  }
  return SecondsOf(spent);
}

sim::PhaseTimes TimePhases(sim::VectorSim& sim, Drive& drive, int num_steps) {
  sim::PhaseTimes sum;
  for (int step = 0; step < num_steps; ++step) {
    drive.Decide();
    const sim::PhaseTimes times = sim.StepTimed(drive.Batch());
    for (size_t phase = 0; phase < sum.ns.size(); ++phase) sum.ns[phase] += times.ns[phase];
  }
  return sum;
}

Result<void> RunScene(const Scene& scene, const tracks::Track& track, int num_env_steps) {
  ThreadPool pool(scene.num_threads);
  sim::SimOptions options;
  options.num_envs = scene.num_envs;
  options.walls = scene.walls;
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(options.car));
  LAPFORGE_TRY(const std::unique_ptr<sim::VectorSim> sim,
               sim::VectorSim::Create(options, car, {track}, &pool));
  Drive drive(*sim);
  const int num_steps = std::max(1, num_env_steps / scene.num_envs);
  const double count = static_cast<double>(num_steps) * scene.num_envs;
  const double seconds = TimeSteps(*sim, drive, num_steps);
  const uint64_t hash = sim->StateHash();
  const sim::PhaseTimes times = TimePhases(*sim, drive, std::max(1, num_steps / 4));
  const double timed_count = std::max(1, num_steps / 4) * static_cast<double>(scene.num_envs);

  std::printf("%-6s %d thread%s %5d envs %9.0f steps/s %6.2f us ", scene.name, scene.num_threads,
              scene.num_threads == 1 ? " " : "s", scene.num_envs, count / seconds,
              seconds / count * 1e6);
  const char* const names[] = {"actuate", "integrate", "measure+judge", "observe"};
  for (size_t phase = 0; phase < times.ns.size(); ++phase) {
    std::printf(" %s %.2f", names[phase], static_cast<double>(times.ns[phase]) / timed_count / 1e3);
  }
  std::printf("  hash %016" PRIx64 "\n", hash);
  return {};
}

}  // namespace

int BenchSim(const tracks::Track& track, int num_env_steps) {
  for (const Scene& scene : kScenes) {
    if (const auto done = RunScene(scene, track, num_env_steps); !done.ok()) {
      std::fprintf(stderr, "error: %s\n", done.error().message.c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace lapforge::bench
