#include "tools/bench/sim_bench.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "sim/base/hash.h"
#include "sim/pure_pursuit.h"
#include "sim/vector_sim.h"
#include "tracks/track_files.h"

namespace lapforge::bench {
namespace {

// What a scene changes in the default options.
struct Scene {
  const char* name;
  void (*choose)(sim::SimOptions& options);
  bool has_many_tracks = false;
};

void UseCamera(int width_px, int height_px, sim::SimOptions& options) {
  options.sensors.kinds = {"camera"};
  options.sensors.camera.width_px = width_px;
  options.sensors.camera.height_px = height_px;
}

constexpr Scene kScenes[] = {
    {"state", [](sim::SimOptions&) {}},
    {"walls", [](sim::SimOptions& options) { options.walls = true; }},
    {"tracks", [](sim::SimOptions&) {}, true},
    {"camera64", [](sim::SimOptions& options) { UseCamera(64, 48, options); }},
    {"camera160", [](sim::SimOptions& options) { UseCamera(160, 120, options); }},
    {"lidar",
     [](sim::SimOptions& options) {
       options.sensors.kinds = {"lidar"};
       options.sensors.lidar.num_beams = 108;
     }},
    {"boxes",
     [](sim::SimOptions& options) {
       UseCamera(64, 48, options);
       options.objects.count = 6;
       options.objects.placement = sim::ObjectPlacement::kRandom;
     }},
};

// One measurement of a scene.
struct Case {
  const Scene& scene;
  int num_threads;
  int num_envs;
};

struct Measured {
  double steps_per_s = 0;
  double step_us = 0;
  std::array<double, sim::kNumStepPhases> phase_us{};
  uint64_t hash = 0;
};

// Steps on which nothing is timed: pages, caches and Bullet's pools settle.
constexpr int kWarmUpSteps = 10;
constexpr int kMixedTracks = 8;

// Built-in tracks by turns, with other start lines where there are fewer than needed.
Result<std::vector<tracks::Track>> MixedTracks() {
  const std::vector<std::string> names = tracks::BuiltInTrackNames();
  std::vector<tracks::Track> mixed;
  for (int i = 0; i < kMixedTracks; ++i) {
    LAPFORGE_TRY(const tracks::Track track,
                 tracks::LoadBuiltInTrack(names[static_cast<size_t>(i) % names.size()]));
    mixed.push_back(track.WithStart(track.length_m() * i / kMixedTracks));
  }
  return mixed;
}

// A simulator with its buffers, and a driver that needs no learner.
class Drive {
 public:
  Drive(sim::VectorSim& sim, ThreadPool& pool)
      : sim_(sim),
        pool_(pool),
        driver_(sim),
        actions_(static_cast<size_t>(sim.num_envs() * sim.options().action_dim())),
        observations_(static_cast<size_t>(sim.num_envs()) * sim.observation_spec().row_bytes),
        final_observations_(observations_.size()),
        facts_(static_cast<size_t>(sim.num_envs())) {
    sim_.Reset(observations_);
    for (int i = 0; i < kWarmUpSteps; ++i) sim_.Step(Batch());
  }

  sim::StepBatch Batch() { return {actions_, observations_, final_observations_, facts_}; }
  // Of the state and of what the sensors said last.
  uint64_t Hash() const {
    StateHasher hasher;
    hasher.Add(sim_.StateHash());
    hasher.Add(observations_.data(), observations_.size());
    return hasher.Finish();
  }
  // Each thread for the envs that it steps, so that what it knows of them stays in its cache.
  void Decide() {
    pool_.ParallelFor(sim_.num_envs(), [&](int begin, int end, int) {
      driver_.Decide(actions_, {begin, end});
    });
  }

 private:
  sim::VectorSim& sim_;
  ThreadPool& pool_;
  sim::PurePursuit driver_;
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

Result<Measured> Measure(const Case& measured, const tracks::Track& track,
                         const SimBenchOptions& bench) {
  ThreadPool pool(measured.num_threads);
  sim::SimOptions options;
  options.num_envs = measured.num_envs;
  measured.scene.choose(options);
  std::vector<tracks::Track> tracks = {track};
  if (measured.scene.has_many_tracks) {
    LAPFORGE_TRY(tracks, MixedTracks());
  }
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(options.car));
  LAPFORGE_TRY(const std::unique_ptr<sim::VectorSim> sim,
               sim::VectorSim::Create(options, car, std::move(tracks), &pool));
  if (bench.set_up) LAPFORGE_CHECK_OK(bench.set_up(*sim));
  Drive drive(*sim, pool);
  const int num_steps = std::max(1, bench.num_env_steps / measured.num_envs);
  const int num_timed_steps = std::max(1, num_steps / 4);

  Measured result;
  const double count = static_cast<double>(num_steps) * measured.num_envs;
  const double seconds = TimeSteps(*sim, drive, num_steps);
  result.steps_per_s = count / seconds;
  result.step_us = seconds / count * 1e6;
  result.hash = drive.Hash();
  const sim::PhaseTimes times = TimePhases(*sim, drive, num_timed_steps);
  for (size_t phase = 0; phase < times.ns.size(); ++phase) {
    result.phase_us[phase] =
        static_cast<double>(times.ns[phase]) / 1e3 / num_timed_steps / measured.num_envs;
  }
  return result;
}

void PrintHeader(bool is_csv) {
  if (is_csv) {
    std::printf(
        "scene,threads,envs,steps_per_s,step_us,actuate_us,integrate_us,measure_judge_us,"
        "observe_us,hash\n");
  } else {
    std::printf(
        "scene    threads  envs    steps/s  us/step  actuate integrate measure observe  "
        "hash\n");
  }
}

void Print(const Case& measured, const Measured& result, bool is_csv) {
  const char* const format =
      is_csv ? "%s,%d,%d,%.0f,%.3f,%.3f,%.3f,%.3f,%.3f,%016" PRIx64 "\n"
             : "%-10s %5d %5d %10.0f %8.2f %8.2f %9.2f %7.2f %7.2f  %016" PRIx64 "\n";
  std::printf(format, measured.scene.name, measured.num_threads, measured.num_envs,
              result.steps_per_s, result.step_us, result.phase_us[0], result.phase_us[1],
              result.phase_us[2], result.phase_us[3], result.hash);
  std::fflush(stdout);
}

// One number of envs with every number of threads.
Result<void> RunScene(const Scene& scene, int num_envs, const tracks::Track& track,
                      const SimBenchOptions& options) {
  std::optional<uint64_t> hash;
  for (const int num_threads : options.num_threads) {
    const Case measured = {scene, num_threads, num_envs};
    LAPFORGE_TRY(const Measured result, Measure(measured, track, options));
    Print(measured, result, options.is_csv);
    if (hash.value_or(result.hash) != result.hash) {
      return ErrorOf("scene ", scene.name, ": the hash depends on the number of threads");
    }
    hash = result.hash;
  }
  return {};
}

bool IsWanted(const Scene& scene, const std::vector<std::string>& names) {
  return names.empty() || std::find(names.begin(), names.end(), scene.name) != names.end();
}

}  // namespace

std::vector<std::string> SimSceneNames() {
  std::vector<std::string> names;
  for (const Scene& scene : kScenes) names.emplace_back(scene.name);
  return names;
}

int BenchSim(const tracks::Track& track, const SimBenchOptions& options) {
  PrintHeader(options.is_csv);
  for (const Scene& scene : kScenes) {
    if (!IsWanted(scene, options.scenes)) continue;
    for (const int num_envs : options.num_envs) {
      if (const auto done = RunScene(scene, num_envs, track, options); !done.ok()) {
        std::fprintf(stderr, "error: %s\n", done.error().message.c_str());
        return 1;
      }
    }
  }
  return 0;
}

}  // namespace lapforge::bench
