// What the cars of a world see of each other and of the objects on their road.
#include <cmath>

#include "sim/episode/race_stepper.h"
#include "sim/objects/boxes.h"
#include "sim/objects/object_facts.h"

namespace lapforge::sim {
namespace {

void AddObject(const ObjectFacts& object, StepFacts& facts) {
  facts.objects[static_cast<size_t>(facts.num_objects++)] = object;
}

void KeepBoxes(StepFacts& facts) {
  const int count = facts.num_objects;
  facts.num_objects = 0;
  for (int i = 0; i < count; ++i) {
    if (facts.objects[i].kind == ObjectKind::kBox) AddObject(facts.objects[i], facts);
  }
}

ObjectFacts DescribeCar(const tracks::Track& track, const EnvState& state, const CarKit& kit) {
  const CarState& car = state.now.car;
  const Vec2 middle_m = {car.position_world_m.x, car.position_world_m.y};
  const tracks::TrackPosition position =
      track.ProjectNear(middle_m, state.now.position.segment_index);
  return {middle_m,
          car.yaw_rad,
          std::hypot(car.velocity_body_mps.x, car.velocity_body_mps.y),
          position.arc_length_m,
          position.lateral_offset_m,
          static_cast<float>(kit.spec().body_length_m),
          static_cast<float>(kit.spec().body_width_m),
          static_cast<float>(kit.height_m),
          ObjectKind::kCar};
}

// Who leads: the car that has driven furthest from the start line.
void RankCars(std::span<Env> cars) {
  for (Env& env : cars) {
    env.state.now.race_position = 1;
    for (const Env& other : cars) {
      const double lead_m = other.state.race_distance_m - env.state.race_distance_m;
      const bool is_ahead = lead_m > 0 || (lead_m == 0 && other.car_index < env.car_index);
      env.state.now.race_position += is_ahead ? 1 : 0;
    }
  }
}

}  // namespace

BotRoad RaceStepper::BotRoadOf(const Race& race) const {
  // several cars share their bots, which then live as long as the world
  const StepFacts& first = race.cars.front().state.now;
  return {options_, ViewOf(race.cars.front().state), static_cast<uint32_t>(first.env_index),
          race.cars.size() == 1 ? first.episode_index : 0};
}

// The boxes or bots of the episode that `env` begins.
void RaceStepper::PlaceObjects(const Race& race, Env& env) const {
  StepFacts& now = env.state.now;
  const tracks::Track& driven = ViewOf(env.state);
  const tracks::Track& forward = views_[static_cast<size_t>(now.track_index) / 2 * 2];
  if (race.world.bots.empty()) {
    PlaceBoxes(options_, forward, driven, now);
  } else {
    now.objects = {};
    now.num_objects = 0;
    PlaceBots(BotRoadOf(race), forward, now, race.world.bots);
  }
}

// Boxes stay where the facts have them; bots, and those cars of the world that are before
// `num_present`, are where they are now.
void RaceStepper::ListOthers(const Race& race, Env& env, size_t num_present) const {
  if (race.world.bots.empty() && race.cars.size() == 1) return;
  const tracks::Track& track = ViewOf(env.state);
  StepFacts& now = env.state.now;
  KeepBoxes(now);
  for (const BotState& bot : race.world.bots) {
    AddObject(DescribeBot(track, bot, kits_.front().spec(), kits_.front().height_m), now);
  }
  for (const Env& other : race.cars.first(num_present)) {
    if (&other == &env) continue;
    AddObject(DescribeCar(track, other.state, KitOf(other.state)), now);
  }
  SortObjects(now);
}

void RaceStepper::MeasureOthers(const Race& race) const {
  for (Env& env : race.cars) {
    ListOthers(race, env, race.cars.size());
    MeasureObjects(options_.objects, KitOf(env.state).spec(), env.state.now);
  }
  if (race.cars.size() > 1) RankCars(race.cars);
}

}  // namespace lapforge::sim
