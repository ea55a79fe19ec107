#include "tools/cli/sim/drive.h"

#include <algorithm>
#include <optional>

#include "tools/cli/laps.h"

namespace lapforge::cli {
namespace {

// The nearest car ahead of the one that ran into it; none: it was a box.
std::optional<size_t> CarHitBy(const sim::StepFacts& facts, std::span<const sim::StepFacts> all) {
  std::optional<size_t> hit;
  double nearest_m = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const Vec3 away_m = all[i].car.position_world_m - facts.car.position_world_m;
    const Vec2 away_flat_m = {away_m.x, away_m.y};
    const bool is_ahead = Dot(away_flat_m, DirectionOf(facts.position.tangent_yaw_rad)) > 0;
    if (!is_ahead || (hit && Length(away_flat_m) >= nearest_m)) continue;
    hit = i;
    nearest_m = Length(away_flat_m);
  }
  return hit;
}

void AddStep(const sim::StepFacts& facts, const sim::LapResult* lap, int num_laps, CarDrive& car) {
  car.line.Add({facts.car.position_world_m.x, facts.car.position_world_m.y},
               facts.car.velocity_body_mps.x);
  if (facts.reset_reason != sim::EndReason::kNone) car.line.Break();
  car.last_progress_pct = facts.progress_pct;
  if (facts.is_off_track) ++car.num_off_tracks;
  if (lap != nullptr && lap->is_complete()) car.laps.push_back(*lap);
  if (std::ssize(car.laps) == num_laps) {
    car.end = sim::EndReason::kLapComplete;
  } else if (facts.reason != sim::EndReason::kLapComplete) {  // an open track: it starts again
    car.end = facts.reason;
  }
}

void Decide(const Drivers& drivers, std::span<float> actions) {
  const size_t row = actions.size() / drivers.size();
  for (size_t i = 0; i < drivers.size(); ++i) drivers[i]->Decide(actions.subspan(i * row, row));
}

bool IsDriving(const CarDrive& car) { return car.end == sim::EndReason::kNone; }

}  // namespace

int CarDrive::num_clean() const {
  return static_cast<int>(std::count_if(laps.begin(), laps.end(),
                                        [](const sim::LapResult& lap) { return lap.is_clean; }));
}

const sim::LapResult* DriveReport::best() const {
  const sim::LapResult* best = nullptr;
  for (const CarDrive& car : cars) {
    for (const sim::LapResult& lap : car.laps) {
      if (lap.is_clean && (best == nullptr || lap.lap_time_us < best->lap_time_us)) best = &lap;
    }
  }
  return best;
}

DriveReport DriveUntil(int num_laps, const Drivers& drivers, sim::VectorSim& sim) {
  DriveReport report;
  report.cars.resize(drivers.size());
  for (CarDrive& car : report.cars) {
    car.line.value_label = "speed, m/s";
    car.num_hits.resize(drivers.size());
  }
  sim::StepRows rows(sim);
  sim::LapCollector collector(sim, 1);
  sim.Reset(rows.observations);
  report.view = sim.now(0).track_index;
  sim::Recorder recorder(sim);
  while (std::any_of(report.cars.begin(), report.cars.end(), IsDriving)) {
    Decide(drivers, rows.actions);
    sim.Step(rows.batch());
    recorder.Add(rows.actions);
    for (size_t i = 0; i < report.cars.size(); ++i) {
      const sim::StepFacts& facts = rows.facts[i];
      const sim::LapResult* const lap = collector.Add(facts);
      if (!IsDriving(report.cars[i])) continue;
      if (const auto hit = facts.is_crashed ? CarHitBy(facts, rows.facts) : std::nullopt) {
        ++report.cars[i].num_hits[*hit];
      }
      AddStep(facts, lap, num_laps, report.cars[i]);
    }
  }
  report.boxes = BoxesIn(rows.facts[0]);
  report.recording = recorder.Take();
  return report;
}

}  // namespace lapforge::cli
