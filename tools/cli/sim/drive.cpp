#include "tools/cli/sim/drive.h"

#include <algorithm>

namespace lapforge::cli {
namespace {

void AddStep(const sim::StepFacts& facts, const sim::LapResult* lap, DriveReport& report) {
  report.line.points_m.push_back({facts.car.position_world_m.x, facts.car.position_world_m.y});
  report.line.values.push_back(facts.car.velocity_body_mps.x);
  report.end = facts.reason;
  report.last_progress_pct = facts.progress_pct;
  if (lap != nullptr && lap->is_complete()) report.laps.push_back(*lap);
}

}  // namespace

int DriveReport::num_clean() const {
  return static_cast<int>(std::count_if(laps.begin(), laps.end(),
                                        [](const sim::LapResult& lap) { return lap.is_clean; }));
}

const sim::LapResult* DriveReport::best() const {
  const sim::LapResult* best = nullptr;
  for (const sim::LapResult& lap : laps) {
    if (lap.is_clean && (best == nullptr || lap.lap_time_us < best->lap_time_us)) best = &lap;
  }
  return best;
}

DriveReport DriveUntil(int num_laps, const sim::PurePursuit& driver, sim::VectorSim& sim) {
  DriveReport report;
  report.line.value_label = "speed, m/s";
  sim::StepRows rows(sim);
  sim::LapCollector collector(sim, 1);
  sim.Reset(rows.observations);
  sim::Recorder recorder(sim);
  bool is_failed = false;
  while (static_cast<int>(report.laps.size()) < num_laps && !is_failed) {
    driver.Decide(rows.actions);
    sim.Step(rows.batch());
    recorder.Add(rows.actions);
    const sim::StepFacts& facts = rows.facts.front();
    AddStep(facts, collector.Add(facts), report);
    is_failed = facts.ended() && facts.reason != sim::EndReason::kLapComplete;
  }
  report.recording = recorder.Take();
  return report;
}

}  // namespace lapforge::cli
