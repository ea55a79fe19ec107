#include "sim/recording.h"

#include <algorithm>

#include "sim/base/assert.h"

namespace lapforge::sim {
namespace {

void CountViolations(const StepFacts& facts, LapResult& lap) {
  if (facts.reset_reason != EndReason::kNone) ++lap.num_resets;
  if (facts.is_off_track) ++lap.num_off_tracks;
}

}  // namespace

Recorder::Recorder(const VectorSim& sim) : sim_(sim) {
  recording_.options = sim.options();
  recording_.cars.assign(sim.cars().begin(), sim.cars().end());
  // replays make the other widths again
  const size_t step = 2 * static_cast<size_t>(NumTrackWidths(sim.options().randomize));
  for (size_t i = 0; i < sim.tracks().size(); i += step) {
    recording_.tracks.push_back(sim.tracks()[i]);
  }
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

LapCollector::LapCollector(const VectorSim& sim, size_t num_tracks)
    : sim_(sim),
      num_tracks_(static_cast<int>(num_tracks)),
      under_way_(static_cast<size_t>(sim.num_envs())) {}

const LapResult* LapCollector::Add(const StepFacts& facts) {
  LapResult& lap = under_way_[static_cast<size_t>(facts.env_index)];
  lap.top_speed_mps = std::max(lap.top_speed_mps, facts.car.velocity_body_mps.x);
  const bool is_complete = facts.lap_time_us > 0;
  if (!is_complete) CountViolations(facts, lap);
  if (!is_complete && !facts.ended()) return nullptr;

  ended_ = lap;
  ended_.env_index = facts.env_index;
  ended_.track_index = facts.env_index / sim_.options().cars_per_world % num_tracks_;
  ended_.episode_index = static_cast<int>(facts.episode_index);
  const double length_m = sim_.tracks()[static_cast<size_t>(facts.track_index)].length_m();
  const double start_frac = facts.start_arc_length_m / length_m;
  ended_.start_frac = start_frac < 0.9999 ? start_frac : 0;  // the seam is the start, not the end
  ended_.is_clean = is_complete && lap.num_resets == 0 && lap.num_off_tracks == 0;
  ended_.lap_time_us = facts.lap_time_us;
  ended_.completion_pct = is_complete ? 100 : std::max(facts.progress_pct, 0.0);
  ended_.reason = is_complete ? EndReason::kLapComplete : facts.reason;

  const int next_index = facts.ended() ? 0 : lap.lap_index + 1;
  lap = {};
  lap.lap_index = next_index;
  // the line comes before all other verdicts of a step
  if (is_complete && !facts.ended()) CountViolations(facts, lap);
  return &ended_;
}

Result<ReplayReport> Replay(const Recording& recording, ThreadPool* pool,
                            const StepObserver& observer) {
  LAPFORGE_TRY(const std::unique_ptr<VectorSim> sim,
               VectorSim::Create(recording.options, recording.cars, recording.tracks, pool));
  StepRows rows(*sim);
  ReplayReport report;
  report.num_steps = recording.num_steps();
  LapCollector collector(*sim, recording.tracks.size());
  sim->Reset(rows.observations);
  for (int step = 0;; ++step) {
    if (sim->StateHash() != recording.hashes[static_cast<size_t>(step)]) {
      report.first_different_step = step;
      return report;
    }
    if (observer) observer(*sim, rows, step);
    if (step == report.num_steps) return report;
    const auto actions = recording.actions.begin() + step * std::ssize(rows.actions);
    std::copy_n(actions, rows.actions.size(), rows.actions.begin());
    sim->Step(rows.batch());
    for (const StepFacts& facts : rows.facts) {
      const LapResult* const lap = collector.Add(facts);
      if (lap != nullptr && lap->is_complete()) report.laps.push_back(*lap);
    }
  }
}

}  // namespace lapforge::sim
