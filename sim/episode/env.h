// One env: a car on a track, its episode, and the phases of its control step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/base/rng.h"
#include "sim/car/action_map.h"
#include "sim/car/actuators.h"
#include "sim/episode/episode.h"
#include "sim/physics/car_world.h"
#include "sim/sim_options.h"
#include "sim/step_facts.h"
#include "sim/vector_sim.h"

namespace lapforge::sim {

// What all envs of a simulator read and none changes.
struct SharedModel {
  SharedModel(const SimOptions& sim_options, const CarSpec& spec,
              std::vector<tracks::Track> track_views);

  SimOptions options;
  CarSpec car;
  ActionMap actions;
  double substep_s;
  Actuators actuators;
  std::shared_ptr<const VehicleModel> vehicle;
  std::vector<tracks::Track> views;                      // [2 * i] forward, [2 * i + 1] reversed
  std::vector<std::shared_ptr<const WallShapes>> walls;  // [views / 2], null without walls
};

// Everything of an env that changes, beside the body in its Bullet world. VisitState lists each
// field once: saving, restoring and hashing follow from that list.
struct EnvState {
  uint32_t episode_index = 0;
  int32_t num_steps = 0;    // of this episode
  int64_t total_steps = 0;  // since Reset
  int32_t view_index = 0;
  int32_t segment_hint = 0;
  double start_arc_length_m = 0;
  double previous_progress_pct = 0;  // what the progress formula goes on from
  double progress_pct = 0;           // of the newest measurement, as are the next two
  double progress_delta_m = 0;
  int64_t lap_time_us = 0;
  double arc_length_m = 0;
  int64_t lap_start_us = 0;        // since the episode's start
  std::array<double, 2> action{};  // of the newest step, scaled
  ActuatorState actuators;
  JudgeState judge;
  int64_t num_faults = 0;
};

template <class Visitor>
void VisitState(EnvState& state, BodyState& body, Visitor&& visit) {
  visit(state.episode_index);
  visit(state.num_steps);
  visit(state.total_steps);
  visit(state.view_index);
  visit(state.segment_hint);
  visit(state.start_arc_length_m);
  visit(state.previous_progress_pct);
  visit(state.progress_pct);
  visit(state.progress_delta_m);
  visit(state.lap_time_us);
  visit(state.arc_length_m);
  visit(state.lap_start_us);
  for (double& number : state.action) visit(number);
  for (CarCommand& command : state.actuators.waiting) {
    visit(command.steering_rad);
    visit(command.speed_mps);
  }
  visit(state.actuators.target.steering_rad);
  visit(state.actuators.target.speed_mps);
  visit(state.actuators.steering_rad);
  visit(state.actuators.drive_speed_mps);
  visit(state.judge.num_judged);
  visit(state.judge.num_still);
  visit(state.judge.num_falling);
  visit(state.judge.lap_count);
  visit(state.judge.last_progress_pct);
  for (Vec2& point : state.judge.last_points_m) {
    visit(point.x);
    visit(point.y);
  }
  visit(state.num_faults);
  for (float& number : body.basis) visit(number);
  for (float& number : body.position_m) visit(number);
  for (float& number : body.velocity_mps) visit(number);
  for (float& number : body.angular_velocity_radps) visit(number);
  for (auto* numbers : {&body.wheels.speed_radps, &body.wheels.load_n,
                        &body.wheels.forward_speed_mps, &body.wheels.sideways_speed_mps}) {
    for (float& number : *numbers) visit(number);
  }
}

class Env {
 public:
  Env(std::shared_ptr<const SharedModel> model, int env_index);

  // Starts episode 0.
  void Reset();
  void Place(const Placement& placement);

  // The phases of a control step, in this order.
  void Actuate(std::span<const float> numbers, StepFacts& facts);
  void Integrate();
  void Measure(StepFacts& facts);
  void JudgeStep(StepFacts& facts);
  void RespawnIfEnded(const StepFacts& facts);
  // What the sensors say now.
  void Observe(std::span<std::byte> row) const;

  const CarState& car_state() const { return measured_.car; }
  int64_t num_faults() const { return state_.num_faults; }

  EnvState state() const { return state_; }
  BodyState body() const { return world_.state(); }
  void Restore(const EnvState& state, const BodyState& body);

 private:
  const tracks::Track& view() const { return model_->views[size_t(state_.view_index)]; }
  void Spawn();
  void StartEpisode(const Placement& placement);
  bool IsReversed() const;
  double StartArcLength(RngStream& random) const;
  void MeasureNow(int segment_hint);
  void MeasureProgress();
  void FinishLap();

  std::shared_ptr<const SharedModel> model_;
  int env_index_;
  CarWorld world_;
  EnvState state_;
  StepFacts measured_;                // measured part only: the newest measurement
  bool is_faulty_ = false;            // the newest measurement failed; within a step only
  std::vector<Vec2> front_points_m_;  // [substeps + 1] of the newest step
};

}  // namespace lapforge::sim
