#include "sim/recording.h"

namespace lapforge::sim {

Recorder::Recorder(const VectorSim& sim) : sim_(sim) {
  recording_.options = sim.options();
  recording_.car = sim.car();
  for (size_t i = 0; i < sim.tracks().size(); i += 2) {
    recording_.tracks.push_back(sim.tracks()[i]);
  }
  recording_.hashes.push_back(sim.StateHash());
}

void Recorder::Add(std::span<const float> actions) {
  recording_.actions.insert(recording_.actions.end(), actions.begin(), actions.end());
  recording_.hashes.push_back(sim_.StateHash());
}

Recording Recorder::Take() { return std::move(recording_); }

Result<ReplayReport> Replay(const Recording& recording, ThreadPool* pool) {
  LAPFORGE_TRY(const auto sim,
               VectorSim::Create(recording.options, recording.car, recording.tracks, pool));
  const size_t num_envs = size_t(sim->num_envs());
  const size_t step_numbers = num_envs * size_t(recording.options.action_dim());
  std::vector<std::byte> observations(num_envs * sim->observation_spec().row_bytes);
  std::vector<std::byte> final_observations(observations.size());
  std::vector<StepFacts> facts(num_envs);

  ReplayReport report;
  const auto compare = [&](int step) {
    const bool is_equal = sim->StateHash() == recording.hashes[size_t(step)];
    if (!is_equal && report.first_different_step < 0) report.first_different_step = step;
  };
  sim->Reset(observations);
  compare(0);
  for (int step = 1; step <= recording.num_steps(); ++step) {
    const auto actions =
        std::span(recording.actions).subspan(size_t(step - 1) * step_numbers, step_numbers);
    sim->Step({actions, observations, final_observations, facts});
    compare(step);
    for (const StepFacts& fact : facts) {
      // off the track ends an episode, so that a completed lap is clean
      if (fact.lap_time_us > 0) report.laps.push_back({fact.env_index, fact.lap_time_us, true});
    }
  }
  report.num_steps = recording.num_steps();
  return report;
}

}  // namespace lapforge::sim
