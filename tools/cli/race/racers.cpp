#include "tools/cli/race/racers.h"

#include <algorithm>
#include <filesystem>

#include "agents/policy.h"
#include "sim/base/strings.h"
#include "tools/cli/sim/line_driver.h"

namespace lapforge::cli {
namespace {

// A policy in its cockpit.
class PolicyDriverOfCar : public CarDriver {
 public:
  PolicyDriverOfCar(std::unique_ptr<sim::Cockpit> cockpit,
                    std::unique_ptr<agents::PolicyDriver> policy, size_t action_dim)
      : cockpit_(std::move(cockpit)),
        policy_(std::move(policy)),
        row_(cockpit_->observation_spec().row_bytes),
        numbers_(action_dim) {}

  void Decide(std::span<float> action) override {
    cockpit_->Observe(row_);
    policy_->Act(row_, numbers_);
    cockpit_->Act(numbers_, action);
  }

 private:
  std::unique_ptr<sim::Cockpit> cockpit_;
  std::unique_ptr<agents::PolicyDriver> policy_;
  std::vector<std::byte> row_;
  std::vector<float> numbers_;
};

Result<std::unique_ptr<CarDriver>> MakePolicyDriver(const Candidate& candidate, int env_index,
                                                    const sim::VectorSim& sim) {
  const sim::SimOptions& own = candidate.options;
  LAPFORGE_TRY(auto cockpit, sim::Cockpit::Create(sim, env_index, own.sensors, own.actions));
  LAPFORGE_TRY(auto policy, agents::MakeDriver(candidate.policy));
  return std::unique_ptr<CarDriver>(std::make_unique<PolicyDriverOfCar>(
      std::move(cockpit), std::move(policy), size_t(own.action_dim())));
}

Result<Racer> OpenRacer(const std::string& name, const std::string& car) {
  Racer racer;
  racer.name = name;
  std::error_code error;
  if (!NamesLine(name)) {
    if (!std::filesystem::exists(name, error)) {
      return ErrorOf(name, ": expected the folder of a run, a policy file, ", kCenterline, ", ",
                     kRaceline, " or a .csv file",
                     DidYouMean(name, std::vector<std::string>{kCenterline, kRaceline}));
    }
    LAPFORGE_TRY(racer.policy, OpenCandidate(name, "best"));
  }
  const std::string own_car = racer.policy ? racer.policy->options.car : sim::SimOptions().car;
  LAPFORGE_TRY(racer.car, sim::LoadCar(car.empty() ? own_car : car));
  return racer;
}

Result<void> CheckTiming(const std::vector<Racer>& racers) {
  const Racer* first = nullptr;
  for (const Racer& racer : racers) {
    if (!racer.policy) continue;
    if (first == nullptr) first = &racer;
    const double first_hz = first->policy->policy.control_hz;
    const double hz = racer.policy->policy.control_hz;
    if (hz == first_hz) continue;
    return ErrorOf(racer.name, " decides ", hz, " times a second and ", first->name, " ", first_hz,
                   " times; expected the same control_hz of all policies in a race");
  }
  return {};
}

Result<void> TakeSpeeds(const std::vector<double>& speeds_mps, std::vector<Racer>& racers) {
  size_t num_built_in = 0;
  for (Racer& racer : racers) {
    if (racer.policy) continue;
    racer.pursuit.max_speed_mps = speeds_mps[num_built_in++ % speeds_mps.size()];
  }
  if (speeds_mps.size() <= std::max<size_t>(num_built_in, 1)) return {};
  return ErrorOf("--speed: ", speeds_mps.size(), " for ", num_built_in,
                 " built-in drivers; expected one each at most");
}

void Widen(const sim::ActionOptions& own, sim::ActionOptions& actions) {
  const auto widen = [](double value, double& low, double& high) {
    low = std::min(low, value);
    high = std::max(high, value);
  };
  const auto steer = [&](double deg) {
    widen(deg, actions.steering_low_deg, actions.steering_high_deg);
  };
  const auto go = [&](double mps) { widen(mps, actions.speed_low_mps, actions.speed_high_mps); };
  if (own.kind == sim::ActionKind::kDiscrete) {
    std::for_each(own.discrete_steering_deg.begin(), own.discrete_steering_deg.end(), steer);
    std::for_each(own.discrete_speed_mps.begin(), own.discrete_speed_mps.end(), go);
    return;
  }
  steer(own.steering_low_deg), steer(own.steering_high_deg);
  go(own.speed_low_mps), go(own.speed_high_mps);
}

// Those that stand out of a car, each as its first owner has it.
void Carry(const sim::SensorOptions& own, sim::SensorOptions& sensors) {
  if (own.Has(sim::SensorKind::kLidar) && !sensors.Has(sim::SensorKind::kLidar)) {
    sensors.kinds.emplace_back("lidar");
    sensors.lidar = own.lidar;
  }
  if (own.Has(sim::SensorKind::kCamera) && !sensors.Has(sim::SensorKind::kCamera)) {
    sensors.kinds.emplace_back("camera");
    sensors.camera = own.camera;
  }
}

}  // namespace

Result<std::vector<Racer>> OpenRacers(const std::vector<std::string>& names,
                                      const std::vector<double>& speeds_mps,
                                      const std::string& car) {
  if (names.size() < 2 || names.size() > size_t{sim::kMaxCarsPerWorld}) {
    return ErrorOf(names.size(), names.size() == 1 ? " driver" : " drivers", ": a race has 2 .. ",
                   sim::kMaxCarsPerWorld);
  }
  std::vector<Racer> racers;
  for (const std::string& name : names) {
    LAPFORGE_TRY(Racer racer, OpenRacer(name, car));
    racers.push_back(std::move(racer));
  }
  LAPFORGE_CHECK_OK(CheckTiming(racers));
  LAPFORGE_CHECK_OK(TakeSpeeds(speeds_mps, racers));
  return racers;
}

sim::SimOptions WorldFor(const std::vector<Racer>& racers) {
  sim::SimOptions world;
  world.num_envs = world.cars_per_world = static_cast<int>(racers.size());
  world.actions.speed_low_mps = 0;
  const auto first = std::find_if(racers.begin(), racers.end(),
                                  [](const Racer& racer) { return racer.policy.has_value(); });
  if (first != racers.end()) world.timing = first->policy->options.timing;
  for (const Racer& racer : racers) {
    if (racer.policy) {
      Widen(racer.policy->options.actions, world.actions);
      Carry(racer.policy->options.sensors, world.sensors);
    } else {
      world.actions.speed_high_mps =
          std::max(world.actions.speed_high_mps, racer.pursuit.max_speed_mps);
    }
  }
  return world;
}

Result<Drivers> SeatRacers(const std::vector<Racer>& racers, const sim::VectorSim& sim) {
  Drivers drivers;
  for (const Racer& racer : racers) {
    const int env_index = static_cast<int>(drivers.size());
    auto driver = racer.policy ? MakePolicyDriver(*racer.policy, env_index, sim)
                               : MakeLineDriver(racer.name, racer.pursuit, env_index, sim);
    if (!driver.ok()) return driver.error();
    drivers.push_back(std::move(driver).value());
  }
  return drivers;
}

}  // namespace lapforge::cli
