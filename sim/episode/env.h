// One env: its physics world and everything else that changes.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "sim/car/actuators.h"
#include "sim/episode/episode.h"
#include "sim/episode/variation.h"
#include "sim/physics/car_world.h"
#include "sim/physics/prefetch.h"
#include "sim/step_facts.h"

namespace lapforge::sim {

// The mutable state of an env apart from the body. `VisitState` below must list every field.
struct EnvState {
  int64_t total_steps = 0;  // control steps since Reset
  int64_t num_faults = 0;
  int32_t num_steps = 0;     // control steps of this episode
  int64_t lap_start_us = 0;  // since the episode's start
  ActuatorState actuators;
  JudgeState judge;
  EpisodeVariation variation;
  Vec3 velocity_mps;       // in the world, now
  Vec3 last_velocity_mps;  // and one control step ago
  StepFacts now;           // measured at this instant; the judge's part stays empty
};

// The car of an episode where options vary it from episode to episode.
struct VariedCar {
  VehicleModel model;
  Actuators actuators;
};

struct Env {
  std::unique_ptr<VariedCar> varied;  // null where no option varies the car; world borrows it
  std::unique_ptr<CarWorld> world;
  EnvState state;
};

// Starts loading what the steps of the envs after envs[0] read: thousands of envs do not fit the
// cache, and waiting for one takes longer than its step. Three stages, since a pointer must have
// arrived before what it points to can be asked for.
inline void PrefetchAhead(std::span<const Env> envs) {
  if (envs.size() > 3) PrefetchObject(envs[3]);
  if (envs.size() > 2) PrefetchObject(*envs[2].world);
  if (envs.size() > 1) envs[1].world->Prefetch();
}

// Shows every bit of an env's state, in order, to `visit(field)`; saving, restoring and hashing all
// follow from this list. Fields without padding only.
template <class Visit>
void VisitState(EnvState& state, BodyState& body, Visit visit) {
  visit(body);
  visit(state.total_steps), visit(state.num_faults);
  visit(state.num_steps), visit(state.lap_start_us);
  visit(state.actuators);

  JudgeState& judge = state.judge;
  visit(judge.num_judged), visit(judge.num_still), visit(judge.num_falling);
  visit(judge.lap_count), visit(judge.reset_count), visit(judge.penalty_us);
  visit(judge.last_progress_pct), visit(judge.last_points_m);

  visit(state.variation), visit(state.velocity_mps), visit(state.last_velocity_mps);

  StepFacts& now = state.now;
  visit(now.env_index), visit(now.episode_index), visit(now.track_index);
  visit(now.start_arc_length_m), visit(now.action);
  visit(now.car), visit(now.front_point_m), visit(now.wheels_m), visit(now.wheel_on_road);
  visit(now.position.segment_index), visit(now.position.arc_length_m);
  visit(now.position.lateral_offset_m), visit(now.position.nearest_center_m);
  visit(now.position.tangent_yaw_rad), visit(now.borders), visit(now.heading_error_rad);
  visit(now.progress_pct), visit(now.progress_delta_m);
  visit(now.all_wheels_on_track), visit(now.is_off_track), visit(now.lap_time_us);
  visit(now.objects), visit(now.num_objects), visit(now.previous_object), visit(now.next_object);
  visit(now.is_crashed);
}

}  // namespace lapforge::sim
