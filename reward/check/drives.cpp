#include "reward/check/drives.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/base/rng.h"
#include "sim/pure_pursuit.h"
#include "sim/vector_sim.h"

namespace lapforge::reward {
namespace {

constexpr double kSlowMps = 1;
constexpr double kFastMps = 4;
constexpr double kLongestLapS = 600;
constexpr double kSampleM = 0.1;  // of a line beside the centerline
constexpr double kWeaveLengthM = 4;

// Keeps a car on the road with half of its tyres' grip on every track; more is tried first.
constexpr double kFastLateralsMps2[] = {6, 5, 4, 3};

struct Plan {
  DriveKind kind;
  const char* name;
  double max_speed_mps;
  double lateral_frac;  // of the half width, for the laps beside the centerline
};

constexpr Plan kPlans[] = {
    {DriveKind::kSlowLap, "slow lap", kSlowMps, 0},
    {DriveKind::kFastLap, "fast lap", kFastMps, 0},
    {DriveKind::kWeavingLap, "weaving lap", kSlowMps, 0.6},
    {DriveKind::kLeftEdgeLap, "left edge lap", kSlowMps, 0.9},
    {DriveKind::kRightEdgeLap, "right edge lap", kSlowMps, -0.9},
    {DriveKind::kReversedLap, "reversed lap", kSlowMps, 0},
    {DriveKind::kOffTrack, "off the track", kFastMps, 0},
    {DriveKind::kStanding, "standing still", 0, 0},
    {DriveKind::kRandom, "random driving", kFastMps, 0},
};

sim::SimOptions OptionsOf(const RewardCheckOptions& check, const Plan& plan) {
  sim::SimOptions options;
  options.num_envs = 1;
  options.facts = check.facts;
  options.objects.count = check.num_objects;
  options.actions.speed_low_mps = 0;
  options.actions.speed_high_mps = kFastMps;
  options.episode.start = sim::StartMode::kLine;
  options.episode.max_laps = 1;
  options.episode.max_steps = static_cast<int>(kLongestLapS * options.timing.control_hz);
  if (plan.kind == DriveKind::kReversedLap) {
    options.episode.direction = sim::DirectionMode::kReversed;
  }
  if (plan.kind == DriveKind::kRandom) {
    options.episode.start = sim::StartMode::kAnywhere;
    options.episode.max_laps = 0;
  }
  return options;
}

double LateralFracAt(const Plan& plan, double arc_length_m) {
  if (plan.kind != DriveKind::kWeavingLap) return plan.lateral_frac;
  return plan.lateral_frac * std::sin(2 * kPi * arc_length_m / kWeaveLengthM);
}

// A line beside the centerline, at a share of the half width.
sim::DrivingLine LineBeside(const tracks::Track& track, const Plan& plan) {
  sim::DrivingLine line;
  const int count = std::max(8, static_cast<int>(track.length_m() / kSampleM));
  const int num_points = track.is_closed() ? count : count + 1;
  for (int i = 0; i < num_points; ++i) {
    const double arc_length_m = track.length_m() * i / count;
    const double frac = LateralFracAt(plan, arc_length_m);
    const tracks::HalfWidths widths = track.HalfWidthsAt(arc_length_m);
    const double offset_m = frac * (frac > 0 ? widths.left_m : widths.right_m);
    line.points_m.push_back(track.PointAt(arc_length_m, offset_m));
  }
  return line;
}

// Actions of a drive that follows no line: [steering, speed] in [-1, 1].
void Misdrive(const Plan& plan, RngStream& random, std::span<float> action) {
  action[0] = plan.kind == DriveKind::kStanding ? 0.0F : 1.0F;
  action[1] = plan.kind == DriveKind::kStanding ? -1.0F : 0.0F;
  if (plan.kind != DriveKind::kRandom) return;
  for (float& value : action) value = static_cast<float>(random.Uniform(-1, 1));
}

class Driving {
 public:
  Driving(std::unique_ptr<sim::VectorSim> sim, int number, const Plan& plan)
      : sim_(std::move(sim)), number_(number), plan_(plan) {}

  Drive Run(double lateral_mps2) {
    sim::PursuitOptions pursuit;
    pursuit.max_speed_mps = std::max(plan_.max_speed_mps, kSlowMps);
    pursuit.lateral_mps2 = lateral_mps2;
    sim::PurePursuit driver(*sim_, pursuit);
    if (plan_.lateral_frac != 0) {
      // a line that folds in a tight bend is refused; the centerline is driven instead
      (void)driver.Follow(0, LineBeside(sim_->tracks()[0], plan_));
    }

    sim::StepRows rows(*sim_);
    RngStream random(1, uint32_t(number_), 0, RngPurpose::kTest);
    Drive drive{plan_.kind, plan_.name, {}, {sim_->tracks().begin(), sim_->tracks().end()}};
    sim_->Reset(rows.observations);
    do {
      if (FollowsALine()) {
        driver.Decide(rows.actions);
      } else {
        Misdrive(plan_, random, rows.actions);
      }
      sim_->Step(rows.batch());
      drive.facts.push_back(rows.facts[0]);
      drive.facts.back().env_index = number_;
    } while (!IsOver(drive));
    return drive;
  }

 private:
  bool FollowsALine() const {
    return plan_.kind != DriveKind::kOffTrack && plan_.kind != DriveKind::kStanding &&
           plan_.kind != DriveKind::kRandom;
  }

  bool IsOver(const Drive& drive) const {
    constexpr size_t kRandomSteps = 600;
    if (plan_.kind == DriveKind::kRandom) return drive.facts.size() >= kRandomSteps;
    return drive.facts.back().ended();
  }

  std::unique_ptr<sim::VectorSim> sim_;
  int number_;
  const Plan& plan_;
};

Result<Drive> DriveOnce(const RewardCheckOptions& check, int number, double lateral_mps2) {
  const Plan& plan = kPlans[number];
  ThreadPool pool(1);
  LAPFORGE_TRY(std::unique_ptr<sim::VectorSim> sim,
               sim::VectorSim::Create(OptionsOf(check, plan), check.car, {check.track}, &pool));
  return Driving(std::move(sim), number, plan).Run(lateral_mps2);
}

}  // namespace

Result<std::vector<Drive>> MakeDrives(const RewardCheckOptions& options) {
  std::vector<Drive> drives;
  for (int number = 0; number < static_cast<int>(std::size(kPlans)); ++number) {
    Drive drive;
    for (const double lateral_mps2 : kFastLateralsMps2) {
      LAPFORGE_TRY(drive, DriveOnce(options, number, lateral_mps2));
      const bool is_lap = drive.facts.back().reason == sim::EndReason::kLapComplete;
      if (is_lap || drive.kind != DriveKind::kFastLap) break;
    }
    drives.push_back(std::move(drive));
  }
  return drives;
}

}  // namespace lapforge::reward
