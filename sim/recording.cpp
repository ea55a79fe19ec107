#include "sim/recording.h"

#include "sim/base/assert.h"

namespace lapforge::sim {
namespace {

// Remembers which env left the road since its lap began, and collects laps.
class LapCollector {
 public:
  explicit LapCollector(int num_envs) : has_left_road_(static_cast<size_t>(num_envs), 0) {}

  void Add(const StepFacts& facts, std::vector<LapResult>& laps) {
    char& has_left_road = has_left_road_[static_cast<size_t>(facts.env_index)];
    if (facts.is_off_track || facts.reset_reason != EndReason::kNone) has_left_road = 1;
    if (facts.lap_time_us > 0) {
      laps.push_back({facts.env_index, facts.lap_time_us, has_left_road == 0});
    }
    if (facts.lap_time_us > 0 || facts.ended()) has_left_road = 0;
  }

 private:
  std::vector<char> has_left_road_;  // [num_envs]
};

}  // namespace

Recorder::Recorder(const VectorSim& sim) : sim_(sim) {
  recording_.options = sim.options();
  recording_.cars.assign(sim.cars().begin(), sim.cars().end());
  for (size_t i = 0; i < sim.tracks().size(); i += 2) recording_.tracks.push_back(sim.tracks()[i]);
  recording_.hashes.push_back(sim.StateHash());
}

void Recorder::Add(std::span<const float> actions) {
  LAPFORGE_ASSERT(
      static_cast<int>(actions.size()) == sim_.num_envs() * recording_.options.action_dim(),
      "actions are [num_envs, action_dim]");
  recording_.actions.insert(recording_.actions.end(), actions.begin(), actions.end());
  recording_.hashes.push_back(sim_.StateHash());
}

Recording Recorder::Take() { return std::move(recording_); }

Result<ReplayReport> Replay(const Recording& recording, ThreadPool* pool) {
  LAPFORGE_TRY(const std::unique_ptr<VectorSim> sim,
               VectorSim::Create(recording.options, recording.cars, recording.tracks, pool));
  const size_t num_envs = static_cast<size_t>(sim->num_envs());
  const size_t num_numbers = num_envs * static_cast<size_t>(recording.options.action_dim());
  std::vector<std::byte> observations(num_envs * sim->observation_spec().row_bytes);
  std::vector<std::byte> final_observations(observations.size());
  std::vector<StepFacts> facts(num_envs);

  ReplayReport report;
  report.num_steps = recording.num_steps();
  LapCollector collector(sim->num_envs());
  sim->Reset(observations);
  for (int step = 0;; ++step) {
    if (sim->StateHash() != recording.hashes[static_cast<size_t>(step)]) {
      report.first_different_step = step;
      return report;
    }
    if (step == report.num_steps) return report;
    const std::span<const float> actions(recording.actions);
    sim->Step({actions.subspan(static_cast<size_t>(step) * num_numbers, num_numbers), observations,
               final_observations, facts});
    for (const StepFacts& fact : facts) collector.Add(fact, report.laps);
  }
}

}  // namespace lapforge::sim
