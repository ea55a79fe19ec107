#include "tools/bench/reward_bench.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "reward/reward_function.h"
#include "sim/base/file_io.h"
#include "sim/base/hash.h"
#include "sim/base/log.h"
#include "sim/base/strings.h"
#include "sim/base/thread_pool.h"
#include "sim/vector_sim.h"

namespace lapforge::bench {
namespace {

constexpr int kNumEnvs = 64;

struct Scene {
  const char* name;
  const char* source;  // empty: the native reward
  int workers = 0;     // processes, see RewardOptions
};

constexpr char kMarkers[] = R"(
def reward_function(params):
    width = params['track_width']
    distance = params['distance_from_center']
    if distance <= 0.1 * width:
        return 1.0
    if distance <= 0.25 * width:
        return 0.5
    return 0.1 if distance <= 0.5 * width else 1e-3
)";

constexpr Scene kScenes[] = {
    {"native", ""},
    {"empty", "def reward_function(params):\n    return 1.0\n"},
    {"markers", kMarkers},
    {"1 worker", kMarkers, 1},
    {"2 workers", kMarkers, 2},
    {"batch empty", R"(
def reward_batch(params):
    return params['progress']
)"},
    {"batch markers", R"(
import numpy as np

LIMITS = np.array([0.1, 0.25, 0.5])
REWARDS = np.array([1.0, 0.5, 0.1, 1e-3])

def reward_batch(params):
    share = params['distance_from_center'] / params['track_width']
    return REWARDS[LIMITS.searchsorted(share)]
)"},
    {"heading", R"(
import math

def reward_function(params):
    before, after = (params['waypoints'][i] for i in params['closest_waypoints'])
    direction = math.degrees(math.atan2(after[1] - before[1], after[0] - before[0]))
    difference = abs(direction - params['heading'])
    return 1.0 if min(difference, 360 - difference) < 10 else 0.1
)"},
    {"batch heading", R"(
import numpy as np

def reward_batch(params):
    before, after = params['waypoints'][params['closest_waypoints'].T]
    way = after - before
    direction = np.degrees(np.arctan2(way[:, 1], way[:, 0]))
    difference = np.abs(direction - params['heading'])
    return np.where(np.minimum(difference, 360 - difference) < 10, 1.0, 0.1)
)"},
    {"waypoint loop", R"(
def reward_function(params):
    x, y = params['x'], params['y']
    return min((x - wx) ** 2 + (y - wy) ** 2 for wx, wy in params['waypoints'])
)"},
    {"batch loop", R"(
import numpy as np

def reward_batch(params):
    here = np.stack([params['x'], params['y']], axis=1)
    return ((here[:, None] - params['waypoints']) ** 2).sum(axis=2).min(axis=1)
)"},
};

// A lap in small steps that weaves over the road.
std::vector<sim::StepFacts> LapFacts(const tracks::Track& track, int count) {
  std::vector<sim::StepFacts> lap(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    sim::StepFacts& facts = lap[static_cast<size_t>(i)];
    const double arc_length_m = track.length_m() * i / count;
    facts.env_index = i % kNumEnvs;
    facts.front_point_m = track.PointAt(arc_length_m, 0.2 * std::sin(0.1 * i));
    facts.position = track.Project(facts.front_point_m);
    facts.borders = track.NearestBorders(facts.position);
    facts.car.yaw_rad = facts.position.tangent_yaw_rad + 0.3 * std::sin(0.07 * i);
    facts.steps = i + 2;
    facts.progress_pct = 100.0 * i / count;
    facts.progress_delta_m = track.length_m() / count;
  }
  return lap;
}

Result<std::unique_ptr<reward::RewardFunction>> MakeScene(const Scene& scene,
                                                          std::span<const tracks::Track> views) {
  if (*scene.source == '\0') return reward::MakeNativeReward({});
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / StrCat("lapforge_bench_", getpid(), ".py");
  LAPFORGE_CHECK_OK(WriteFileAtomic(path, scene.source));
  reward::RewardOptions options;
  options.python_file = path.string();
  options.workers = scene.workers;
  auto loaded = reward::MakeReward(options, views);
  std::filesystem::remove(path);
  return loaded;
}

// Time of something done many times. The median: machines are busy, and now and then something
// waits.
class Timer {
 public:
  template <class Work>
  auto Run(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    auto result = work();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    times_us_.push_back(time.count());
    return result;
  }

  double MedianUs() {
    const auto middle = times_us_.begin() + std::ssize(times_us_) / 2;
    std::nth_element(times_us_.begin(), middle, times_us_.end());
    return *middle;
  }

 private:
  std::vector<double> times_us_;
};

Result<void> RunScene(const Scene& scene, const tracks::Track& track, int num_calls) {
  LAPFORGE_TRY(const auto reward, MakeScene(scene, std::array{track}));
  const std::vector<sim::StepFacts> lap = LapFacts(track, kNumEnvs * 8);
  std::vector<float> rewards(lap.size());
  const std::span<const sim::StepFacts> facts(lap);
  const int num_batches = (num_calls + kNumEnvs - 1) / kNumEnvs;

  Timer timer;
  for (int i = 0; i < num_batches; ++i) {
    const size_t first = static_cast<size_t>(i) * kNumEnvs % lap.size();
    LAPFORGE_CHECK_OK(timer.Run([&] {
      return reward->Evaluate(facts.subspan(first, kNumEnvs),
                              std::span(rewards).subspan(first, kNumEnvs));
    }));
  }

  StateHasher hasher;
  hasher.AddSpan(std::span<const float>(rewards));
  std::printf("reward %-14s %8.3f us/call  %016" PRIx64 "\n", scene.name,
              timer.MedianUs() / kNumEnvs, hasher.Finish());
  return {};
}

// Cars that drive a gentle curve on one thread.
class Driving {
 public:
  // Without a scene the simulator alone.
  static Result<Driving> Start(const tracks::Track& track, const Scene* scene, ThreadPool* pool) {
    sim::SimOptions options;
    options.num_envs = kNumEnvs;
    options.facts = sim::FactsInstant::kDeepracer;
    LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(options.car));
    LAPFORGE_TRY(auto sim, sim::VectorSim::Create(options, car, {track}, pool));
    std::unique_ptr<reward::RewardFunction> reward;
    if (scene != nullptr) {
      LAPFORGE_TRY(reward, MakeScene(*scene, sim->tracks()));
    }
    return Driving(std::move(sim), std::move(reward));
  }

  Result<void> Step() {
    return timer_.Run([&]() -> Result<void> {
      sim_->Step(rows_.batch());
      return reward_ ? reward_->Evaluate(rows_.facts, rewards_) : Result<void>();
    });
  }

  double MedianUs() { return timer_.MedianUs() / kNumEnvs; }

 private:
  Driving(std::unique_ptr<sim::VectorSim> sim, std::unique_ptr<reward::RewardFunction> reward)
      : sim_(std::move(sim)), reward_(std::move(reward)), rows_(*sim_), rewards_(kNumEnvs) {
    std::fill(rows_.actions.begin(), rows_.actions.end(), -0.2F);
    sim_->Reset(rows_.observations);
  }

  std::unique_ptr<sim::VectorSim> sim_;
  std::unique_ptr<reward::RewardFunction> reward_;
  sim::StepRows rows_;
  std::vector<float> rewards_;
  Timer timer_;
};

// How much of the simulator's speed is left with three markers in Python, step by step by turns.
Result<void> RunDriving(const tracks::Track& track, int num_calls) {
  const Scene markers = {"markers", kMarkers};
  ThreadPool pool(1);
  LAPFORGE_TRY(Driving alone, Driving::Start(track, nullptr, &pool));
  LAPFORGE_TRY(Driving with, Driving::Start(track, &markers, &pool));
  for (int i = 0; i < std::max(1, num_calls / kNumEnvs); ++i) {
    LAPFORGE_CHECK_OK(alone.Step());
    LAPFORGE_CHECK_OK(with.Step());
  }
  std::printf("sim alone %.3f us/step, with markers %.3f us/step: %.0f %% of the speed\n",
              alone.MedianUs(), with.MedianUs(), 100 * alone.MedianUs() / with.MedianUs());
  return {};
}

Result<void> RunAll(const tracks::Track& track, int num_calls) {
  for (const Scene& scene : kScenes) LAPFORGE_CHECK_OK(RunScene(scene, track, num_calls));
  return RunDriving(track, num_calls);
}

}  // namespace

int BenchReward(const tracks::Track& track, int num_calls) {
  const Result<void> done = RunAll(track, num_calls);
  if (done.ok()) return 0;
  LogError(done.error().message);
  return 1;
}

}  // namespace lapforge::bench
