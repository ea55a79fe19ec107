#include "tools/bench/reward_bench.h"

#include <unistd.h>

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

namespace lapforge::bench {
namespace {

constexpr int kNumEnvs = 64;

struct Scene {
  const char* name;
  const char* source;  // empty: the native reward
};

constexpr Scene kScenes[] = {
    {"native", ""},
    {"empty", "def reward_function(params):\n    return 1.0\n"},
    {"markers", R"(
def reward_function(params):
    width = params['track_width']
    distance = params['distance_from_center']
    if distance <= 0.1 * width:
        return 1.0
    if distance <= 0.25 * width:
        return 0.5
    return 0.1 if distance <= 0.5 * width else 1e-3
)"},
    {"heading", R"(
import math

def reward_function(params):
    before, after = (params['waypoints'][i] for i in params['closest_waypoints'])
    direction = math.degrees(math.atan2(after[1] - before[1], after[0] - before[0]))
    difference = abs(direction - params['heading'])
    return 1.0 if min(difference, 360 - difference) < 10 else 0.1
)"},
    {"waypoint loop", R"(
def reward_function(params):
    x, y = params['x'], params['y']
    return min((x - wx) ** 2 + (y - wy) ** 2 for wx, wy in params['waypoints'])
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
                                                          const tracks::Track& track) {
  if (*scene.source == '\0') return reward::MakeNativeReward({});
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / StrCat("lapforge_bench_", getpid(), ".py");
  LAPFORGE_CHECK_OK(WriteFileAtomic(path, scene.source));
  auto loaded = reward::LoadPythonReward(path.string(), std::array{track});
  std::filesystem::remove(path);
  return loaded;
}

Result<void> RunScene(const Scene& scene, const tracks::Track& track, int num_calls) {
  LAPFORGE_TRY(const auto reward, MakeScene(scene, track));
  const std::vector<sim::StepFacts> lap = LapFacts(track, kNumEnvs * 8);
  std::vector<float> rewards(lap.size());
  const std::span<const sim::StepFacts> facts(lap);
  const int num_batches = (num_calls + kNumEnvs - 1) / kNumEnvs;

  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < num_batches; ++i) {
    const size_t first = static_cast<size_t>(i) * kNumEnvs % lap.size();
    LAPFORGE_CHECK_OK(reward->Evaluate(facts.subspan(first, kNumEnvs),
                                       std::span(rewards).subspan(first, kNumEnvs)));
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;

  StateHasher hasher;
  hasher.AddSpan(std::span<const float>(rewards));
  std::printf("reward %-14s %8.3f us/call  %016" PRIx64 "\n", scene.name,
              time.count() / (num_batches * kNumEnvs), hasher.Finish());
  return {};
}

}  // namespace

int BenchReward(const tracks::Track& track, int num_calls) {
  for (const Scene& scene : kScenes) {
    const Result<void> done = RunScene(scene, track, num_calls);
    if (done.ok()) continue;
    LogError(done.error().message);
    return 1;
  }
  return 0;
}

}  // namespace lapforge::bench
