#include "sim/vector_sim.h"

#include <algorithm>

#include "sim/base/assert.h"
#include "sim/base/hash.h"
#include "sim/base/huge_pages.h"
#include "sim/base/strings.h"
#include "sim/episode/phase_stopwatch.h"
#include "sim/episode/race_stepper.h"
#include "sim/episode/snapshot.h"
#include "sim/episode/track_widths.h"
#include "sim/objects/boxes.h"
#include "sim/sensors/eye_output.h"

namespace lapforge::sim {
namespace {

// Stands for everything that a saved state depends on but does not hold.
uint64_t HashSetup(const SimOptions& options, std::span<const CarSpec> cars,
                   std::span<const tracks::Track> tracks) {
  StateHasher hasher;
  std::string text = OptionsToText(options);
  for (const CarSpec& car : cars) text += OptionsToText(car);
  hasher.Add(text.data(), text.size());
  for (const tracks::Track& track : tracks) {
    hasher.Add(track.start_m());
    for (int i = 0; i < track.num_waypoints(); ++i) {
      const tracks::Waypoint waypoint = track.waypoint(i);
      hasher.Add(&waypoint, sizeof(waypoint));
    }
  }
  return hasher.Finish();
}

// Both borders as walls, in the order of the waypoints.
std::shared_ptr<const WallShapes> MakeWalls(const tracks::Track& track) {
  std::vector<WallSegment> segments;
  const auto add = [&](Vec2 from_m, Vec2 to_m) {
    if (from_m != to_m) segments.push_back({from_m, to_m});
  };
  for (int i = 0; i < track.num_segments(); ++i) {
    add(track.waypoint(i).left_m, track.waypoint(i + 1).left_m);
    add(track.waypoint(i).right_m, track.waypoint(i + 1).right_m);
  }
  return std::make_shared<const WallShapes>(segments);
}

}  // namespace

class VectorSim::Impl {
 public:
  Impl(std::unique_ptr<RaceStepper> stepper, std::vector<CarSpec> cars, ThreadPool* pool)
      : stepper_(std::move(stepper)),
        cars_(std::move(cars)),
        pool_(pool),
        setup_hash_(HashSetup(options(), cars_, stepper_->views())) {
    MakeWorlds();
  }

  const SimOptions& options() const { return stepper_->options(); }
  AllEnvs all() { return {envs_, worlds_, setup_hash_}; }
  Race RaceAt(int world_index) {
    const size_t num_cars = static_cast<size_t>(options().cars_per_world);
    return {worlds_[static_cast<size_t>(world_index)],
            std::span(envs_).subspan(static_cast<size_t>(world_index) * num_cars, num_cars)};
  }

  void Reset(std::span<std::byte> observations);
  void CheckShapes(const StepBatch& batch) const;
  void Step(const StepBatch& batch, const EnvRange& envs);
  Result<void> Restore(std::span<const std::byte> bytes);
  // What is left of the observe phase where a device draws.
  void Draw(const StepBatch& batch, const EnvRange& envs);
  void Draw(std::span<std::byte> observations, const EnvRange& envs);

  const std::unique_ptr<RaceStepper> stepper_;
  const std::vector<CarSpec> cars_;
  ThreadPool* const pool_;
  const uint64_t setup_hash_;
  std::vector<Env> envs_;
  std::vector<World> worlds_;
  std::unique_ptr<EyeOutput> eyes_;  // null: sensors draw themselves

 private:
  void PrefetchAhead(int world_index, int end);
  void MakeWorlds();
  World MakeWorld(std::span<Env> envs, std::shared_ptr<const WallShapes> walls) const;
};

void VectorSim::Impl::MakeWorlds() {
  const std::span<const tracks::Track> views = stepper_->views();
  // one a track: with walls there are no other widths
  std::vector<std::shared_ptr<const WallShapes>> walls(views.size() / 2);
  for (size_t i = 0; options().walls && i < walls.size(); ++i) walls[i] = MakeWalls(views[2 * i]);
  envs_.resize(static_cast<size_t>(options().num_envs));
  for (int i = 0; i < options().num_envs; ++i) {
    Env& env = envs_[static_cast<size_t>(i)];
    env.state.now.env_index = i;
    env.car_index = i % options().cars_per_world;
    if (!VariesCar(options().randomize)) continue;
    const CarKit& kit = stepper_->kit(i);
    env.varied = std::make_unique<VariedCar>(VariedCar{*kit.model, kit.actuators});
  }
  worlds_.resize(static_cast<size_t>(options().num_worlds()));
  for (int i = 0; i < options().num_worlds(); ++i) {
    const Race race = RaceAt(i);
    race.world = MakeWorld(race.cars, walls[static_cast<size_t>(i) % walls.size()]);
  }
  UseHugePages(envs_.data(), envs_.data() + envs_.size());
  // made one after the other, they lie near each other
  const auto [first, last] =
      std::minmax_element(worlds_.begin(), worlds_.end(),
                          [](const World& a, const World& b) { return a.physics < b.physics; });
  UseHugePages(first->physics.get(), last->physics.get());
}

World VectorSim::Impl::MakeWorld(std::span<Env> envs,
                                 std::shared_ptr<const WallShapes> walls) const {
  const ObjectOptions& objects = options().objects;
  const bool are_bots = objects.kind == ObjectKind::kBot;
  const CarKit& bot = stepper_->kit(0);
  const BoxSet boxes = {
      objects.count,
      are_bots ? Vec3{bot.spec().body_length_m / 2, bot.spec().body_width_m / 2, bot.height_m / 2}
               : Vec3{objects.length_m / 2, objects.width_m / 2, objects.height_m / 2},
      are_bots};
  CarWorld::Models models;
  for (const Env& env : envs) models.push_back(stepper_->kit(env.state.now.env_index).model);

  World world;
  world.physics = std::make_unique<CarWorld>(std::move(models), std::move(walls), boxes);
  if (are_bots) world.bots.resize(static_cast<size_t>(objects.count));
  world.front_points_m.resize(envs.size() *
                              (static_cast<size_t>(options().timing.substeps_per_control) + 1));
  for (Env& env : envs) env.physics = world.physics.get();
  return world;
}

void VectorSim::Impl::Reset(std::span<std::byte> observations) {
  pool_->ParallelFor(options().num_worlds(), [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) {
      const Race race = RaceAt(i);
      stepper_->Reset(race, i * options().cars_per_world);
      for (const Env& env : race.cars) stepper_->Observe(env.state, observations);
    }
  });
  Draw(observations, {0, options().num_envs});
}

void VectorSim::Impl::Draw(std::span<std::byte> observations, const EnvRange& envs) {
  if (eyes_ != nullptr) eyes_->Show(envs, observations);
}

void VectorSim::Impl::Draw(const StepBatch& batch, const EnvRange& envs) {
  if (eyes_ == nullptr) return;
  eyes_->ShowEnds(envs, batch.facts, batch.final_observations);
  eyes_->Show(envs, batch.observations);
}

void VectorSim::Impl::CheckShapes(const StepBatch& batch) const {
  const size_t num_envs = envs_.size();
  const size_t observation_bytes = num_envs * stepper_->observation_spec().row_bytes;
  LAPFORGE_ASSERT(batch.actions.size() == num_envs * options().action_dim(),
                  "actions are [num_envs, action_dim]");
  LAPFORGE_ASSERT(batch.observations.size() == observation_bytes,
                  "observations are [num_envs, row_bytes]");
  LAPFORGE_ASSERT(batch.final_observations.size() == observation_bytes,
                  "final observations are [num_envs, row_bytes]");
  LAPFORGE_ASSERT(batch.facts.size() == num_envs, "facts are [num_envs]");
}

// Starts loading what the steps of the worlds after this one read: thousands of envs do not fit the
// cache, and waiting for one takes longer than its step. In stages, since a pointer must have
// arrived before what it points to can be asked for.
void VectorSim::Impl::PrefetchAhead(int world_index, int end) {
  if (world_index + 3 < end) PrefetchObject(*RaceAt(world_index + 3).world.physics);
  if (world_index + 2 < end) {
    const Race race = RaceAt(world_index + 2);
    PrefetchArray(race.cars.data(), race.cars.size());
    race.world.physics->Prefetch();
  }
  if (world_index + 1 < end) {
    const World& world = RaceAt(world_index + 1).world;
    PrefetchArray(world.front_points_m.data(), world.front_points_m.size());
    world.physics->PrefetchLists();
  }
}

void VectorSim::Impl::Step(const StepBatch& batch, const EnvRange& envs) {
  const int first_world = envs.begin / options().cars_per_world;
  pool_->ParallelFor(envs.size() / options().cars_per_world, [&](int first, int last, int) {
    NoStopwatch no_stopwatch;
    const int end = first_world + last;
    for (int i = first_world + first; i < end; ++i) {
      PrefetchAhead(i, end);
      if (i + 1 < end) PrefetchToWrite(batch.facts[(i + 1) * options().cars_per_world]);
      stepper_->Step(RaceAt(i), batch, no_stopwatch);
    }
  });
  Draw(batch, envs);
}

Result<void> VectorSim::Impl::Restore(std::span<const std::byte> bytes) {
  LAPFORGE_CHECK_OK(RestoreEnvs(bytes, all()));
  for (int i = 0; i < options().num_worlds(); ++i) stepper_->Resume(RaceAt(i));
  return {};
}

VectorSim::VectorSim(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VectorSim::~VectorSim() = default;

Result<std::unique_ptr<VectorSim>> VectorSim::Create(const SimOptions& options, const CarSpec& car,
                                                     std::vector<tracks::Track> tracks,
                                                     ThreadPool* pool) {
  return Create(options, std::vector<CarSpec>{car}, std::move(tracks), pool);
}

Result<std::unique_ptr<VectorSim>> VectorSim::Create(const SimOptions& options,
                                                     std::vector<CarSpec> cars,
                                                     std::vector<tracks::Track> tracks,
                                                     ThreadPool* pool) {
  LAPFORGE_CHECK_OK(Validate(options));
  for (const CarSpec& car : cars) {
    if (const auto checked = Validate(car); !checked.ok()) {
      return ErrorOf("car ", car.name, ": ", checked.error().message);
    }
    LAPFORGE_CHECK_OK(CheckVariedCars(car, options.randomize));
  }
  if (cars.empty()) return ErrorOf("a simulator needs at least one car");
  if (tracks.empty()) return ErrorOf("a simulator needs at least one track");
  LAPFORGE_ASSERT(pool != nullptr, "a simulator needs a thread pool");

  // every road must fit the widest car
  const auto widest = std::max_element(cars.begin(), cars.end(), [](const auto& a, const auto& b) {
    return a.body_width_m < b.body_width_m;
  });
  std::vector<tracks::Track> views;
  for (const tracks::Track& track : tracks) {
    LAPFORGE_CHECK_OK(CheckRoom(options.objects, track));
    LAPFORGE_TRY(const auto copies, InAllWidths(track, *widest, options.randomize));
    for (const tracks::Track& copy : copies) {
      views.push_back(copy);
      views.push_back(copy.Reversed());
    }
  }
  LAPFORGE_TRY(auto stepper, RaceStepper::Create(options, cars, std::move(views)));
  return std::unique_ptr<VectorSim>(
      new VectorSim(std::make_unique<Impl>(std::move(stepper), std::move(cars), pool)));
}

const SimOptions& VectorSim::options() const { return impl_->options(); }
const CarSpec& VectorSim::car(int env_index) const {
  return impl_->stepper_->kit(env_index).spec();
}
std::span<const CarSpec> VectorSim::cars() const { return impl_->cars_; }
int VectorSim::num_envs() const { return options().num_envs; }
const ObservationSpec& VectorSim::observation_spec() const {
  return impl_->stepper_->observation_spec();
}
std::span<const tracks::Track> VectorSim::tracks() const { return impl_->stepper_->views(); }

void VectorSim::Reset(std::span<std::byte> observations) {
  LAPFORGE_ASSERT(observations.size() == num_envs() * observation_spec().row_bytes,
                  "observations are [num_envs, row_bytes]");
  impl_->Reset(observations);
}

void VectorSim::Step(const StepBatch& batch) { Step(batch, {0, num_envs()}); }

void VectorSim::Step(const StepBatch& batch, const EnvRange& envs) {
  const int num_cars = options().cars_per_world;
  LAPFORGE_ASSERT(0 <= envs.begin && envs.begin <= envs.end && envs.end <= num_envs() &&
                      envs.begin % num_cars == 0 && envs.end % num_cars == 0,
                  "a step is of whole worlds");
  impl_->CheckShapes(batch);
  impl_->Step(batch, envs);
}

PhaseTimes VectorSim::StepTimed(const StepBatch& batch) {
  impl_->CheckShapes(batch);
  PhaseStopwatch stopwatch;
  for (int i = 0; i < options().num_worlds(); ++i) {
    stopwatch.Start();
    impl_->stepper_->Step(impl_->RaceAt(i), batch, stopwatch);
  }
  stopwatch.Start();
  impl_->Draw(batch, {0, num_envs()});
  stopwatch.Lap(StepPhase::kObserve);
  return stopwatch.times();
}

void VectorSim::EndEpisode(int env_index, std::span<std::byte> observations) {
  LAPFORGE_ASSERT(env_index >= 0 && env_index < num_envs(), "no such env");
  LAPFORGE_ASSERT(observations.size() == num_envs() * observation_spec().row_bytes,
                  "observations are [num_envs, row_bytes]");
  const int num_cars = options().cars_per_world;
  impl_->stepper_->EndEpisode(impl_->RaceAt(env_index / num_cars), env_index % num_cars);
  impl_->stepper_->Observe(impl_->envs_[static_cast<size_t>(env_index)].state, observations);
  impl_->Draw(observations, {env_index, env_index + 1});
}

void VectorSim::Place(int env_index, const Placement& placement) {
  LAPFORGE_ASSERT(env_index >= 0 && env_index < num_envs(), "no such env");
  const int num_cars = options().cars_per_world;
  impl_->stepper_->Place(impl_->RaceAt(env_index / num_cars), env_index % num_cars, placement);
}

const StepFacts& VectorSim::now(int env_index) const { return StateOf(env_index).now; }

const EnvState& VectorSim::StateOf(int env_index) const {
  return impl_->envs_.at(static_cast<size_t>(env_index)).state;
}

void VectorSim::Observe(std::span<std::byte> observations) const {
  LAPFORGE_ASSERT(observations.size() == num_envs() * observation_spec().row_bytes,
                  "observations are [num_envs, row_bytes]");
  impl_->pool_->ParallelFor(num_envs(), [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) {
      impl_->stepper_->Observe(impl_->envs_[static_cast<size_t>(i)].state, observations);
    }
  });
  impl_->Draw(observations, {0, num_envs()});
}

Result<void> VectorSim::UseEyes(std::unique_ptr<DeviceEyes> eyes) {
  LAPFORGE_TRY(const EyeScenes scenes, impl_->stepper_->sensors().Scenes());
  LAPFORGE_TRY(impl_->eyes_, EyeOutput::Create(scenes, std::move(eyes)));
  impl_->stepper_->KeepFrames(impl_->eyes_->now(), impl_->eyes_->ends());
  return {};
}

std::vector<SensorSpec> VectorSim::drawn_sensors() const {
  std::vector<SensorSpec> drawn;
  if (impl_->eyes_ == nullptr) return drawn;
  for (const SensorSpec& sensor : observation_spec().sensors) {
    if (sensor.name == "camera" || sensor.name == "lidar") drawn.push_back(sensor);
  }
  return drawn;
}

void VectorSim::DrawInto(const DeviceRows& rows) {
  LAPFORGE_ASSERT(impl_->eyes_ != nullptr, "a device draws where it has eyes");
  impl_->eyes_->DrawInto(rows);
}

const std::optional<Error>& VectorSim::eyes_error() const {
  static const std::optional<Error> kNone;
  return impl_->eyes_ == nullptr ? kNone : impl_->eyes_->error();
}

std::vector<std::byte> VectorSim::Save() const { return SaveEnvs(impl_->all()); }

Result<void> VectorSim::Restore(std::span<const std::byte> bytes) { return impl_->Restore(bytes); }

uint64_t VectorSim::StateHash() const {
  StateHasher hasher;
  for (const Env& env : impl_->envs_) HashEnv(env, hasher);
  for (const World& world : impl_->worlds_) HashWorld(world, hasher);
  return hasher.Finish();
}

uint64_t VectorSim::StateHash(int env_index) const {
  StateHasher hasher;
  HashEnv(impl_->envs_.at(static_cast<size_t>(env_index)), hasher);
  return hasher.Finish();
}

int64_t VectorSim::num_faults() const {
  int64_t sum = 0;
  for (const Env& env : impl_->envs_) sum += env.state.num_faults;
  return sum;
}

}  // namespace lapforge::sim
