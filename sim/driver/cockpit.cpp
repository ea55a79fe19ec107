#include "sim/base/assert.h"
#include "sim/car/action_map.h"
#include "sim/episode/env.h"
#include "sim/sensors/sensor_suite.h"
#include "sim/vector_sim.h"

namespace lapforge::sim {

class Cockpit::Impl {
 public:
  Impl(const VectorSim& sim, int env_index, const SimOptions& own)
      : sim_(sim),
        env_index_(env_index),
        own_(own),
        own_actions_(own.actions),
        actions_(sim.options().actions) {}

  Result<void> MakeSensors() {
    LAPFORGE_TRY(sensors_, SensorSuite::Create(own_, sim_.cars(), sim_.tracks()));
    return {};
  }

  const ObservationSpec& observation_spec() const { return sensors_->spec(); }

  void Observe(std::span<std::byte> row) const {
    EnvState state = sim_.StateOf(env_index_);
    const bool stands_anew = state.num_steps == 0 || state.judge.reset_count != num_resets_;
    if (!stands_anew) state.now.action = last_action_;
    state.variation = DrawVariation(own_, env_index_, state.now.episode_index);
    sensors_->Write(state, row);
  }

  void Act(std::span<const float> numbers, std::span<float> action) {
    const Action wanted = own_actions_.FromNumbers(numbers);
    actions_.ToNumbers(wanted.command, action);
    last_action_ = wanted.scaled;
    num_resets_ = sim_.StateOf(env_index_).judge.reset_count;
  }

 private:
  const VectorSim& sim_;
  const int env_index_;
  const SimOptions own_;  // the simulator's, with the driver's sensors and actions
  const ActionMap own_actions_;
  const ActionMap actions_;
  std::unique_ptr<const SensorSuite> sensors_;
  std::array<double, 2> last_action_{};
  int32_t num_resets_ = 0;  // of the episode, when it acted last
};

Cockpit::Cockpit(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cockpit::~Cockpit() = default;

Result<std::unique_ptr<Cockpit>> Cockpit::Create(const VectorSim& sim, int env_index,
                                                 const SensorOptions& sensors,
                                                 const ActionOptions& actions) {
  LAPFORGE_ASSERT(env_index >= 0 && env_index < sim.num_envs(), "no such env");
  SimOptions own = sim.options();
  own.sensors = sensors;
  own.actions = actions;
  LAPFORGE_CHECK_OK(Validate(own));
  auto impl = std::make_unique<Impl>(sim, env_index, own);
  LAPFORGE_CHECK_OK(impl->MakeSensors());
  return std::unique_ptr<Cockpit>(new Cockpit(std::move(impl)));
}

const ObservationSpec& Cockpit::observation_spec() const { return impl_->observation_spec(); }
void Cockpit::Observe(std::span<std::byte> row) const { impl_->Observe(row); }
void Cockpit::Act(std::span<const float> numbers, std::span<float> action) {
  impl_->Act(numbers, action);
}

}  // namespace lapforge::sim
