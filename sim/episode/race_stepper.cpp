#include "sim/episode/race_stepper.h"

#include <algorithm>
#include <cmath>

#include "sim/episode/measure.h"
#include "sim/episode/progress.h"
#include "sim/objects/object_facts.h"

namespace lapforge::sim {
namespace {

// A car reaches up to the sensors on it.
double HeightOf(const CarSpec& car, const SensorOptions& sensors) {
  double height_m = car.com_height_m + car.body_height_m / 2;
  if (sensors.Has(SensorKind::kLidar)) height_m = std::max(height_m, sensors.lidar.mount_z_m);
  if (sensors.Has(SensorKind::kCamera)) height_m = std::max(height_m, sensors.camera.mount_z_m);
  return height_m;
}

StepFacts& FactsOf(const Env& env, const StepBatch& batch) {
  return batch.facts[static_cast<size_t>(env.state.now.env_index)];
}

}  // namespace

CarKit::CarKit(const CarSpec& car, const SimOptions& options)
    : model(std::make_shared<const VehicleModel>(
          car, options.control_dt_s() / options.timing.substeps_per_control)),
      actuators(car, options.control_dt_s() / options.timing.substeps_per_control),
      unnamed(car),
      height_m(HeightOf(car, options.sensors)) {
  unnamed.name.clear();
}

RaceStepper::RaceStepper(const SimOptions& options, std::span<const CarSpec> cars,
                         std::vector<tracks::Track> views)
    : options_(options),
      dt_s_(options.control_dt_s()),
      substep_s_(dt_s_ / options.timing.substeps_per_control),
      views_(std::move(views)),
      action_map_(options.actions),
      open_track_rules_(options.episode) {
  open_track_rules_.max_laps = 1;
  for (const CarSpec& car : cars) kits_.emplace_back(car, options);
}

Result<std::unique_ptr<RaceStepper>> RaceStepper::Create(const SimOptions& options,
                                                         std::span<const CarSpec> cars,
                                                         std::vector<tracks::Track> views) {
  std::unique_ptr<RaceStepper> stepper(new RaceStepper(options, cars, std::move(views)));
  LAPFORGE_TRY(stepper->sensors_, SensorSuite::Create(options, cars, stepper->views_));
  return std::unique_ptr<RaceStepper>(std::move(stepper));
}

std::span<Vec2> RaceStepper::PathOf(const Race& race, int car_index) const {
  const size_t num_points = static_cast<size_t>(options_.timing.substeps_per_control) + 1;
  return std::span(race.world.front_points_m).subspan(car_index * num_points, num_points);
}

template <class Stopwatch>
void RaceStepper::Step(const Race& race, const StepBatch& batch, Stopwatch& stopwatch) const {
  const bool shows_state_before = options_.facts == FactsInstant::kDeepracer;

  // actuate
  const size_t action_dim = static_cast<size_t>(options_.action_dim());
  std::array<Action, kMaxCarsPerWorld> actions;
  for (Env& env : race.cars) {
    if (shows_state_before) FactsOf(env, batch) = env.state.now;
    const size_t row = static_cast<size_t>(env.state.now.env_index) * action_dim;
    actions[env.car_index] = Actuate(env, batch.actions.subspan(row, action_dim));
  }
  stopwatch.Lap(StepPhase::kActuate);

  // integrate
  Integrate(race);
  stopwatch.Lap(StepPhase::kIntegrate);

  // measure; after a fault the last healthy facts stand
  std::array<bool, kMaxCarsPerWorld> is_healthy;
  for (Env& env : race.cars) {
    is_healthy[env.car_index] = Measure(env, PathOf(race, env.car_index));
  }
  MeasureOthers(race);
  for (Env& env : race.cars) {
    if (!shows_state_before) FactsOf(env, batch) = env.state.now;
    DescribeStep(actions[env.car_index], is_healthy[env.car_index], env.state, FactsOf(env, batch));
  }

  // judge
  for (Env& env : race.cars) {
    EnvState& state = env.state;
    if (is_healthy[env.car_index]) {
      Judge(RulesOn(ViewOf(state)), {state.num_steps, state.num_steps * dt_s_}, state.judge,
            FactsOf(env, batch));
    } else {
      JudgeFault(FactsOf(env, batch));
    }
  }
  stopwatch.Lap(StepPhase::kMeasureAndJudge);

  // observe
  ShowAndRespawn(race, batch);
  stopwatch.Lap(StepPhase::kObserve);
}

template void RaceStepper::Step(const Race&, const StepBatch&, NoStopwatch&) const;
template void RaceStepper::Step(const Race&, const StepBatch&, PhaseStopwatch&) const;

// The ends, with every car where it ended; then new starts, and what all cars see now.
void RaceStepper::ShowAndRespawn(const Race& race, const StepBatch& batch) const {
  bool has_moved = false;
  for (const Env& env : race.cars) {
    if (!FactsOf(env, batch).ended()) continue;
    Observe(env.state, batch.final_observations, frames_at_end_);
  }
  for (Env& env : race.cars) {
    const StepFacts& facts = FactsOf(env, batch);
    if (facts.ended()) {
      ++env.state.now.episode_index;
      Respawn(race, env, race.cars.size());
    } else if (facts.reset_reason != EndReason::kNone) {
      PutBack(race, env, facts);
    } else {
      continue;
    }
    has_moved = true;
  }
  if (has_moved) MeasureOthers(race);
  for (const Env& env : race.cars) Observe(env.state, batch.observations);
}

Action RaceStepper::Actuate(Env& env, std::span<const float> numbers) const {
  EnvState& state = env.state;
  ++state.num_steps;
  ++state.total_steps;
  const Action action = action_map_.FromNumbers(numbers);
  ActuatorsOf(env).Command(VaryCommand(action.command, state.variation), state.actuators);
  return action;
}

void RaceStepper::Integrate(const Race& race) const {
  CarWorld& physics = *race.world.physics;
  physics.BeginControlStep();
  for (const Env& env : race.cars) {
    PathOf(race, env.car_index).front() = env.state.now.front_point_m;
  }
  for (int i = 1; i <= options_.timing.substeps_per_control; ++i) {
    for (Env& env : race.cars) {
      ActuatorState& state = env.state.actuators;
      ActuatorsOf(env).Advance(state);
      physics.Drive(env.car_index, {static_cast<float>(state.steering_rad),
                                    static_cast<float>(state.drive_speed_mps)});
    }
    physics.Advance();
    MoveBots(race);
    for (const Env& env : race.cars) {
      PathOf(race, env.car_index)[i] =
          physics.PointAt(ModelOf(env).spec.com_to_front_point_m(), env.car_index);
    }
  }
}

void RaceStepper::MoveBots(const Race& race) const {
  std::vector<BotState>& bots = race.world.bots;
  if (bots.empty()) return;
  AdvanceBots(BotRoadOf(race), substep_s_, bots);
  for (size_t i = 0; i < bots.size(); ++i) {
    race.world.physics->MoveBox(static_cast<int>(i), bots[i].motion);
  }
}

// False after a fault: then nothing is measured.
bool RaceStepper::Measure(Env& env, std::span<const Vec2> front_points_m) const {
  EnvState& state = env.state;
  const BodyState body = env.body();
  if (!IsHealthy(body)) {
    ++state.num_faults;
    return false;
  }

  const tracks::Track& track = ViewOf(state);
  StepFacts& now = state.now;
  const double last_progress_pct = LapProgress(now);
  const double last_arc_m = now.position.arc_length_m;
  state.last_velocity_mps = state.velocity_mps;
  state.velocity_mps = VelocityOf(body);
  MeasureCar(ModelOf(env), body, state.actuators, now);
  MeasureTrack(track, track.ProjectNear(now.front_point_m, now.position.segment_index),
               last_progress_pct, options_.episode.off_track_wheels, now);
  now.progress_delta_m = track.ArcLengthDelta(last_arc_m, now.position.arc_length_m);

  // a completed lap is timed, and the next one counts from there
  now.lap_time_us = 0;
  if (now.progress_pct >= 100) {
    const StepPath path = {front_points_m, (state.num_steps - 1) * dt_s_, substep_s_};
    const int64_t crossing_us = CrossingTimeUs(track, now.start_arc_length_m, path);
    now.lap_time_us = crossing_us - state.lap_start_us;
    state.lap_start_us = crossing_us;
  }
  ReadLapClock(state);
  state.race_distance_m = track.ArcLengthDelta(track.start_m(), now.start_arc_length_m) +
                          (state.judge.lap_count + now.progress_pct / 100) * track.length_m();
  return true;
}

void RaceStepper::ReadLapClock(EnvState& state) const {
  state.now.lap_clock_us = std::llround(state.num_steps * dt_s_ * 1e6) - state.lap_start_us;
}

// What the step was asked to do. After a fault the action itself may not be finite: then it is left
// out.
void RaceStepper::DescribeStep(const Action& action, bool is_healthy, EnvState& state,
                               StepFacts& facts) const {
  facts.steps = state.num_steps + 1;
  facts.sim_time_s = static_cast<double>(state.total_steps - 1) * dt_s_;
  facts.last_action = state.now.action;
  if (!is_healthy) return;
  facts.steering_cmd_rad = action.command.steering_rad;
  facts.speed_cmd_mps = action.command.speed_mps;
  facts.action = action.scaled;
  facts.action_index = action.index;
  state.now.action = action.scaled;
}

void RaceStepper::Observe(const EnvState& state, std::span<std::byte> rows,
                          EyeFrames* frames) const {
  const size_t row_bytes = sensors_->spec().row_bytes;
  const size_t begin = static_cast<size_t>(state.now.env_index) * row_bytes;
  sensors_->Write(state, rows.subspan(begin, row_bytes), frames);
}

}  // namespace lapforge::sim
