#include "tools/cli/sim/drive.h"

#include <algorithm>
#include <array>

namespace lapforge::cli {
namespace {

// Collects what one step adds to the report.
class DriveLog {
 public:
  explicit DriveLog(DriveReport& report) : report_(report) {
    report_.line.value_label = "speed, m/s";
  }

  void Add(const sim::StepFacts& facts) {
    const double speed_mps = facts.car.velocity_body_mps.x;
    report_.line.points_m.push_back({facts.car.position_world_m.x, facts.car.position_world_m.y});
    report_.line.values.push_back(speed_mps);
    report_.end = facts.reason;
    report_.last_progress_pct = facts.progress_pct;

    lap_.top_speed_mps = std::max(lap_.top_speed_mps, speed_mps);
    if (facts.reset_reason != sim::EndReason::kNone) ++lap_.num_resets;
    lap_.is_clean &= !facts.is_off_track && lap_.num_resets == 0;
    if (facts.lap_time_us > 0) {
      lap_.lap_time_us = facts.lap_time_us;
      report_.laps.push_back(lap_);
      lap_ = kNewLap;
    }
  }

 private:
  static constexpr DrivenLap kNewLap = {0, true, 0, 0};

  DriveReport& report_;
  DrivenLap lap_ = kNewLap;
};

}  // namespace

int DriveReport::num_clean() const {
  return static_cast<int>(
      std::count_if(laps.begin(), laps.end(), [](const DrivenLap& lap) { return lap.is_clean; }));
}

const DrivenLap* DriveReport::best() const {
  const DrivenLap* best = nullptr;
  for (const DrivenLap& lap : laps) {
    if (lap.is_clean && (best == nullptr || lap.lap_time_us < best->lap_time_us)) best = &lap;
  }
  return best;
}

DriveReport DriveUntil(int num_laps, const sim::PurePursuit& driver, sim::VectorSim& sim) {
  std::vector<float> actions(static_cast<size_t>(sim.options().action_dim()));
  std::vector<std::byte> observations(sim.observation_spec().row_bytes);
  std::vector<std::byte> final_observations(observations.size());
  std::array<sim::StepFacts, 1> facts;

  DriveReport report;
  DriveLog log(report);
  sim.Reset(observations);
  sim::Recorder recorder(sim);
  bool is_failed = false;
  while (static_cast<int>(report.laps.size()) < num_laps && !is_failed) {
    driver.Decide(actions);
    sim.Step({actions, observations, final_observations, facts});
    recorder.Add(actions);
    log.Add(facts[0]);
    is_failed = facts[0].ended() && facts[0].reason != sim::EndReason::kLapComplete;
  }
  report.recording = recorder.Take();
  return report;
}

}  // namespace lapforge::cli
