// Recordings: options, tracks, cars, actions and hashes; enough to simulate a drive again exactly.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/car.h"
#include "sim/sim_options.h"
#include "sim/vector_sim.h"
#include "tracks/track.h"

namespace lapforge::sim {

struct Recording {
  SimOptions options;
  std::vector<CarSpec> cars;
  std::vector<tracks::Track> tracks;
  std::vector<float> actions;    // [num_steps, num_envs, action_dim]
  std::vector<uint64_t> hashes;  // [num_steps + 1] StateHash after Reset and after each step
  std::string note;              // who drove: for people

  int num_steps() const { return hashes.empty() ? 0 : static_cast<int>(hashes.size()) - 1; }
};

// Collects a recording beside a simulator that was just Reset.
class Recorder {
 public:
  explicit Recorder(const VectorSim& sim);
  // After each Step, with the actions it took.
  void Add(std::span<const float> actions);
  Recording Take();

 private:
  const VectorSim& sim_;
  Recording recording_;
};

// Protobuf with a format version; written atomically. Reading refuses another version, damage
// (checksum) and sizes that do not fit together, with one line that names the file.
Result<void> SaveRecording(const Recording& recording, const std::filesystem::path& path);
Result<Recording> LoadRecording(const std::filesystem::path& path);

// What came of one lap of one car.
struct LapResult {
  int env_index = 0;
  int track_index = 0;      // of the tracks given to the simulator
  int episode_index = 0;    // of the env
  int lap_index = 0;        // of the episode
  double start_frac = 0;    // of the lap, where the episode began
  bool is_clean = false;    // completed, and never all four wheels off nor put back
  int64_t lap_time_us = 0;  // penalties included; 0 where not completed
  double completion_pct = 0;
  EndReason reason = EndReason::kNone;  // kLapComplete, or why it was not completed
  int num_resets = 0;                   // how often the car was put back
  int num_off_tracks = 0;               // how often all four wheels were off
  double top_speed_mps = 0;

  bool is_complete() const { return lap_time_us > 0; }
};

// Tells laps from the facts of every step since Reset.
class LapCollector {
 public:
  // `sim` is borrowed; it was made with so many tracks.
  LapCollector(const VectorSim& sim, size_t num_tracks);
  // The lap that ends with these facts of one env, or null; valid until the next call.
  const LapResult* Add(const StepFacts& facts);

 private:
  const VectorSim& sim_;
  int num_tracks_;
  std::vector<LapResult> under_way_;  // [num_envs]
  LapResult ended_;
};

struct ReplayReport {
  int num_steps = 0;
  int first_different_step = -1;  // -1: every hash agrees; 0: already the start differs
  std::vector<LapResult> laps;    // completed ones
};

// Sees a simulator as Reset and each step leave it. `rows.facts` say nothing before step 1.
using StepObserver = std::function<void(const VectorSim& sim, const StepRows& rows, int step)>;

// Simulates the recording again and compares every hash; `observer` sees what agrees.
Result<ReplayReport> Replay(const Recording& recording, ThreadPool* pool,
                            const StepObserver& observer = {});

}  // namespace lapforge::sim
