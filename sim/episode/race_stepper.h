// The step of one world and its cars, phase by phase, and how their episodes begin.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/car/action_map.h"
#include "sim/car/actuators.h"
#include "sim/episode/env.h"
#include "sim/episode/phase_stopwatch.h"
#include "sim/sensors/sensor_suite.h"
#include "sim/vector_sim.h"

namespace lapforge::sim {

// One car model, as all envs that drive it share it.
struct CarKit {
  CarKit(const CarSpec& car, const SimOptions& options);

  std::shared_ptr<const VehicleModel> model;
  Actuators actuators;
  CarSpec unnamed;  // to vary without copying a long name in a step
  double height_m;  // with the sensors that it carries

  const CarSpec& spec() const { return model->spec; }
};

// What no step changes, shared by all worlds and threads.
class RaceStepper {
 public:
  // Options and cars are valid, `views` as in VectorSim::tracks(). Painting the ground for cameras
  // may fail for lack of memory.
  static Result<std::unique_ptr<RaceStepper>> Create(const SimOptions& options,
                                                     std::span<const CarSpec> cars,
                                                     std::vector<tracks::Track> views);

  const SimOptions& options() const { return options_; }
  std::span<const tracks::Track> views() const { return views_; }
  const ObservationSpec& observation_spec() const { return sensors_->spec(); }
  const CarKit& kit(int env_index) const {
    return kits_[static_cast<size_t>(env_index) % kits_.size()];
  }

  // The first episode of every car, one after the other in the order of the cars; the first is env
  // `first_env`.
  void Reset(const Race& race, int first_env) const;
  template <class Stopwatch>
  void Step(const Race& race, const StepBatch& batch, Stopwatch& stopwatch) const;
  // VectorSim::EndEpisode and VectorSim::Place for one of the cars.
  void EndEpisode(const Race& race, int car_index) const;
  void Place(const Race& race, int car_index, const Placement& placement) const;
  // After a restore: what the states say of boxes and cars goes to the physics.
  void Resume(const Race& race) const;
  // Writes the env's row of [num_envs, row_bytes].
  void Observe(const EnvState& state, std::span<std::byte> rows) const {
    Observe(state, rows, frames_now_);
  }

  const SensorSuite& sensors() const { return *sensors_; }
  // From now on cameras and lidars write there what they show, for a device that draws: what is
  // seen after a step, and what an episode that ended saw last. Borrowed; each env has its place.
  void KeepFrames(EyeFrames* now, EyeFrames* ends) {
    frames_now_ = now;
    frames_at_end_ = ends;
  }

 private:
  RaceStepper(const SimOptions& options, std::span<const CarSpec> cars,
              std::vector<tracks::Track> views);

  const tracks::Track& ViewOf(const EnvState& state) const {
    return views_[static_cast<size_t>(state.now.track_index)];
  }
  const CarKit& KitOf(const EnvState& state) const { return kit(state.now.env_index); }
  const EpisodeOptions& RulesOn(const tracks::Track& track) const {
    return track.is_closed() ? options_.episode : open_track_rules_;
  }
  const VehicleModel& ModelOf(const Env& env) const {
    return env.varied ? env.varied->model : *KitOf(env.state).model;
  }
  const Actuators& ActuatorsOf(const Env& env) const {
    return env.varied ? env.varied->actuators : KitOf(env.state).actuators;
  }
  std::span<Vec2> PathOf(const Race& race, int car_index) const;
  BotRoad BotRoadOf(const Race& race) const;

  void Observe(const EnvState& state, std::span<std::byte> rows, EyeFrames* frames) const;

  // race_stepper.cpp: the phases
  Action Actuate(Env& env, std::span<const float> numbers) const;
  void Integrate(const Race& race) const;
  void MoveBots(const Race& race) const;
  bool Measure(Env& env, std::span<const Vec2> front_points_m) const;
  void ReadLapClock(EnvState& state) const;
  void DescribeStep(const Action& action, bool is_healthy, EnvState& state, StepFacts& facts) const;
  void ShowAndRespawn(const Race& race, const StepBatch& batch) const;

  // race_objects.cpp: what the cars of a world see of each other
  void PlaceObjects(const Race& race, Env& env) const;
  void ListOthers(const Race& race, Env& env, size_t num_present) const;
  void MeasureOthers(const Race& race) const;

  // race_starts.cpp: episodes
  void Respawn(const Race& race, Env& env, size_t num_present) const;
  void SetUpObjects(const Race& race) const;
  void SetUpCar(Env& env) const;
  void StartEpisode(Env& env, const Placement& placement) const;
  void PutBack(const Race& race, Env& env, const StepFacts& violation) const;
  void StandCar(Env& env, const Placement& placement) const;

  const SimOptions options_;
  const double dt_s_;
  const double substep_s_;
  const std::vector<tracks::Track> views_;
  const ActionMap action_map_;
  std::vector<CarKit> kits_;
  EpisodeOptions open_track_rules_;  // the end of the road ends the episode
  std::unique_ptr<const SensorSuite> sensors_;
  EyeFrames* frames_now_ = nullptr;  // null: sensors draw themselves
  EyeFrames* frames_at_end_ = nullptr;
};

}  // namespace lapforge::sim
