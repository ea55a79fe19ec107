// One env is one car; a world has one or several. Everything about them that changes.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "sim/car/actuators.h"
#include "sim/episode/episode.h"
#include "sim/episode/variation.h"
#include "sim/objects/bot_cars.h"
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
  Vec3 velocity_mps;           // in the world, now
  Vec3 last_velocity_mps;      // and one control step ago
  double race_distance_m = 0;  // driven in this episode, from the start line
  StepFacts now;               // measured at this instant; the judge's part stays empty
};

// The car of an episode where options vary it from episode to episode.
struct VariedCar {
  VehicleModel model;
  Actuators actuators;
};

// What the cars of one world share.
struct World {
  std::unique_ptr<CarWorld> physics;
  std::vector<BotState> bots;        // [objects.count] where they are bots, else empty
  std::vector<Vec2> front_points_m;  // [cars_per_world, substeps + 1] of the present step
};

struct Env {
  std::unique_ptr<VariedCar> varied;  // null where no option varies the car; the world borrows it
  CarWorld* physics = nullptr;        // of its world
  int car_index = 0;                  // there
  EnvState state;

  BodyState body() const { return physics->state(car_index); }
};

// One world and its cars: what a step works on.
struct Race {
  World& world;
  std::span<Env> cars;
};

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
  visit(state.race_distance_m);

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
  visit(now.is_crashed), visit(now.race_position);
}

}  // namespace lapforge::sim
