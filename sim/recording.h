// Recordings: options, tracks, cars, actions and hashes; enough to simulate a drive again exactly.
#pragma once

#include <cstdint>
#include <filesystem>
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

struct LapResult {
  int env_index = 0;
  int64_t lap_time_us = 0;
  bool is_clean = false;  // never all four wheels off nor put back since the lap's start
};

struct ReplayReport {
  int num_steps = 0;
  int first_different_step = -1;  // -1: every hash agrees; 0: already the start differs
  std::vector<LapResult> laps;
};

// Simulates the recording again and compares every hash.
Result<ReplayReport> Replay(const Recording& recording, ThreadPool* pool);

}  // namespace lapforge::sim
