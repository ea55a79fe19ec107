// How episodes begin and how cars are put back on the road.
#include "sim/base/assert.h"
#include "sim/episode/measure.h"
#include "sim/episode/progress.h"
#include "sim/episode/race_stepper.h"

namespace lapforge::sim {

void RaceStepper::Reset(const Race& race, int first_env) const {
  for (Env& env : race.cars) {
    env.state = {};
    env.state.now.env_index = first_env + env.car_index;
  }
  for (size_t i = 0; i < race.cars.size(); ++i) Respawn(race, race.cars[i], i);
  MeasureOthers(race);
}

// The present `episode_index` begins, among the first `num_present` cars of the world.
void RaceStepper::Respawn(const Race& race, Env& env, size_t num_present) const {
  StepFacts& now = env.state.now;
  const bool is_reversed = IsReversedEpisode(options_.episode.direction, now.episode_index);
  const int num_widths = NumTrackWidths(options_.randomize);
  const int num_tracks = static_cast<int>(views_.size()) / 2 / num_widths;
  const int world_index = now.env_index / options_.cars_per_world;
  env.state.variation = DrawVariation(options_, now.env_index, now.episode_index);
  const int copy = world_index % num_tracks * num_widths + env.state.variation.track_width_index;
  now.track_index = 2 * copy + (is_reversed ? 1 : 0);

  const tracks::Track& track = ViewOf(env.state);
  if (race.cars.size() == 1 || num_present == 0) {
    PlaceObjects(race, env);
    SetUpObjects(race);
  } else if (num_present < race.cars.size()) {
    now.objects = race.cars.front().state.now.objects;
    now.num_objects = race.cars.front().state.now.num_objects;
  }
  SetUpCar(env);
  ListOthers(race, env, num_present);

  const CarSpec& car = ModelOf(env).spec;
  const double car_length_m = car.com_to_front_point_m().x + car.com_to_rear_axle_m;
  const EpisodeStart start =
      ChooseStart(options_, track, now.env_index, now.episode_index, car_length_m);
  const RoadSpot spot = FreeSpot(track, now, car, start.spot);
  Placement placement;
  placement.front_point_m = track.PointAt(spot.arc_length_m, spot.lateral_offset_m);
  placement.yaw_rad = track.TangentYawAt(spot.arc_length_m) + start.heading_error_rad;
  placement.speed_mps = start.speed_mps;
  StartEpisode(env, placement);

  // counted from where single precision put the front point, so that progress starts at exactly 0
  now.start_arc_length_m = now.position.arc_length_m;
  now.progress_pct = 0;
  env.state.race_distance_m = track.ArcLengthDelta(track.start_m(), now.start_arc_length_m);
}

// The boxes or bots that the states describe, in the physics.
void RaceStepper::SetUpObjects(const Race& race) const {
  const StepFacts& now = race.cars.front().state.now;
  int num_boxes = 0;
  for (int i = 0; i < now.num_objects; ++i) {
    const ObjectFacts& object = now.objects[i];
    if (object.kind != ObjectKind::kBox) continue;
    race.world.physics->PlaceBox(num_boxes++, object.position_m, object.yaw_rad);
  }
  for (size_t i = 0; i < race.world.bots.size(); ++i) {
    race.world.physics->MoveBox(static_cast<int>(i), race.world.bots[i].motion);
  }
}

// The car of the episode that the state is in.
void RaceStepper::SetUpCar(Env& env) const {
  if (!env.varied) return;
  const CarSpec car = VaryCar(KitOf(env.state).unnamed, env.state.variation);
  *env.varied = {VehicleModel(car, substep_s_), Actuators(car, substep_s_)};
  env.physics->UseModel(env.varied->model, env.car_index);
}

void RaceStepper::Resume(const Race& race) const {
  SetUpObjects(race);
  for (Env& env : race.cars) {
    SetUpCar(env);
    ReadLapClock(env.state);
  }
}

// A car rolling straight ahead, everything else of the episode as new.
void RaceStepper::StartEpisode(Env& env, const Placement& placement) const {
  EnvState& state = env.state;
  state.judge = {};
  state.num_steps = 0;
  state.lap_start_us = 0;
  state.now.start_arc_length_m = placement.start_arc_length_m;
  state.now.lap_time_us = 0;
  StandCar(env, placement);
}

// The same episode goes on from a standing car, and the lap has begun so much earlier. A place
// behind a line that was just crossed is one of the new lap.
void RaceStepper::PutBack(const Race& race, Env& env, const StepFacts& violation) const {
  const tracks::Track& track = ViewOf(env.state);
  ListOthers(race, env, race.cars.size());
  const RoadSpot spot =
      FreeSpot(track, env.state.now, KitOf(env.state).spec(), ChooseResetSpot(track, violation));
  Placement placement;
  placement.front_point_m = track.PointAt(spot.arc_length_m, spot.lateral_offset_m);
  placement.yaw_rad = track.TangentYawAt(spot.arc_length_m);
  placement.previous_progress_pct = LapProgress(env.state.now);
  env.state.lap_start_us -= PenaltyUs(options_.episode, violation.reset_reason);
  StandCar(env, placement);
}

void RaceStepper::StandCar(Env& env, const Placement& placement) const {
  EnvState& state = env.state;
  const Vec2 front_m = ModelOf(env).spec.com_to_front_point_m();
  const Vec2 forward = DirectionOf(placement.yaw_rad);
  const Vec2 com_m =
      placement.front_point_m - front_m.x * forward - front_m.y * LeftNormal(forward);
  const BodyState body = StandingBody(ModelOf(env), com_m, placement.yaw_rad, placement.speed_mps);
  LAPFORGE_ASSERT(IsHealthy(body), "a pose to stand on is finite");
  env.physics->set_state(body, env.car_index);
  state.actuators = ActuatorsOf(env).AtRest(placement.speed_mps);

  StepFacts& now = state.now;
  ReadLapClock(state);
  now.action = {};
  now.progress_delta_m = 0;
  MeasureCar(ModelOf(env), body, state.actuators, now);
  MeasureTrack(ViewOf(state), ViewOf(state).Project(now.front_point_m),
               placement.previous_progress_pct, options_.episode.off_track_wheels, now);
  state.velocity_mps = state.last_velocity_mps = VelocityOf(body);
}

void RaceStepper::EndEpisode(const Race& race, int car_index) const {
  Env& env = race.cars[static_cast<size_t>(car_index)];
  ++env.state.now.episode_index;
  Respawn(race, env, race.cars.size());
  MeasureOthers(race);
}

void RaceStepper::Place(const Race& race, int car_index, const Placement& placement) const {
  Env& env = race.cars[static_cast<size_t>(car_index)];
  ++env.state.now.episode_index;
  StartEpisode(env, placement);
  MeasureOthers(race);
}

}  // namespace lapforge::sim
