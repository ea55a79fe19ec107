#include "sim/vector_sim.h"

#include <algorithm>

#include "sim/base/assert.h"
#include "sim/base/hash.h"
#include "sim/base/huge_pages.h"
#include "sim/base/strings.h"
#include "sim/car/action_map.h"
#include "sim/episode/env.h"
#include "sim/episode/measure.h"
#include "sim/episode/phase_stopwatch.h"
#include "sim/episode/snapshot.h"
#include "sim/episode/track_widths.h"
#include "sim/objects/boxes.h"
#include "sim/sensors/sensor_suite.h"

namespace lapforge::sim {
namespace {

// Stands for everything that a saved state depends on but does not hold.
uint64_t HashSetup(const SimOptions& options, const CarSpec& car,
                   std::span<const tracks::Track> tracks) {
  StateHasher hasher;
  const std::string text = StrCat(OptionsToText(options), OptionsToText(car));
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

CarSpec WithoutName(CarSpec car) {
  car.name.clear();
  return car;
}

}  // namespace

class VectorSim::Impl {
 public:
  Impl(const SimOptions& options, const CarSpec& car, std::vector<tracks::Track> views,
       ThreadPool* pool)
      : options_(options),
        dt_s_(options.control_dt_s()),
        substep_s_(dt_s_ / options.timing.substeps_per_control),
        pool_(pool),
        views_(std::move(views)),
        model_(std::make_shared<const VehicleModel>(car, substep_s_)),
        actuators_(car, substep_s_),
        unnamed_car_(WithoutName(car)),
        action_map_(options.actions),
        setup_hash_(HashSetup(options, car, views_)),
        open_track_rules_(options.episode) {
    open_track_rules_.max_laps = 1;
    MakeEnvs();
  }

  void Reset(std::span<std::byte> observations);
  void CheckShapes(const StepBatch& batch) const;
  void Step(const StepBatch& batch);
  void EndEpisode(int env_index, std::span<std::byte> observations);
  void Place(int env_index, const Placement& placement);
  void ObserveAll(std::span<std::byte> observations) const;
  Result<void> Restore(std::span<const std::byte> bytes);
  template <class Stopwatch>
  void StepEnv(int env_index, const StepBatch& batch, Stopwatch& stopwatch);

  const SimOptions options_;
  const double dt_s_;
  const double substep_s_;
  ThreadPool* const pool_;
  const std::vector<tracks::Track> views_;  // [2 * i] forward, [2 * i + 1] reversed
  const std::shared_ptr<const VehicleModel> model_;
  const Actuators actuators_;
  const CarSpec unnamed_car_;  // to vary without copying a long name in a step
  const ActionMap action_map_;
  std::unique_ptr<const SensorSuite> sensors_;
  const uint64_t setup_hash_;
  EpisodeOptions open_track_rules_;  // the end of the road ends the episode
  std::vector<Env> envs_;

 private:
  using FrontPoints = std::array<Vec2, kMaxSubstepsPerControl + 1>;

  void MakeEnvs();
  const tracks::Track& view(const EnvState& state) const {
    return views_[static_cast<size_t>(state.now.track_index)];
  }
  const EpisodeOptions& RulesOn(const tracks::Track& track) const {
    return track.is_closed() ? options_.episode : open_track_rules_;
  }
  const VehicleModel& ModelOf(const Env& env) const {
    return env.varied ? env.varied->model : *model_;
  }
  const Actuators& ActuatorsOf(const Env& env) const {
    return env.varied ? env.varied->actuators : actuators_;
  }

  Action Actuate(Env& env, std::span<const float> numbers) const;
  void Integrate(Env& env, FrontPoints& front_points_m) const;
  bool Measure(Env& env, const FrontPoints& front_points_m) const;
  void Observe(const EnvState& state, std::span<std::byte> rows, int env_index) const;
  void DescribeStep(const Action& action, bool is_healthy, EnvState& state, StepFacts& facts) const;
  void Respawn(int env_index, uint32_t episode_index);
  void StartEpisode(Env& env, const Placement& placement) const;
  void SetUpEpisode(Env& env) const;
  void ReadLapClock(EnvState& s) const {
    s.now.lap_clock_us = std::llround(s.num_steps * dt_s_ * 1e6) - s.lap_start_us;
  }
  void PutBack(Env& env, const StepFacts& violation) const;
  void StandCar(Env& env, const Placement& placement) const;
};

void VectorSim::Impl::MakeEnvs() {
  std::vector<std::shared_ptr<const WallShapes>> walls(views_.size() / 2);
  for (size_t i = 0; options_.walls && i < walls.size(); ++i) walls[i] = MakeWalls(views_[2 * i]);
  const ObjectOptions& objects = options_.objects;
  const BoxSet boxes = {objects.count,
                        {objects.length_m / 2, objects.width_m / 2, objects.height_m / 2}};
  envs_.resize(static_cast<size_t>(options_.num_envs));
  for (size_t i = 0; i < envs_.size(); ++i) {
    envs_[i].world = std::make_unique<CarWorld>(model_, walls[i % walls.size()], boxes);
    if (VariesCar(options_.randomize)) {
      envs_[i].varied = std::make_unique<VariedCar>(VariedCar{*model_, actuators_});
    }
  }
  UseHugePages(envs_.data(), envs_.data() + envs_.size());
  // made one after the other, they lie near each other
  const auto [first, last] = std::minmax_element(
      envs_.begin(), envs_.end(), [](const Env& a, const Env& b) { return a.world < b.world; });
  UseHugePages(first->world.get(), last->world.get());
}

void VectorSim::Impl::Reset(std::span<std::byte> observations) {
  pool_->ParallelFor(options_.num_envs, [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) {
      envs_[i].state = {};
      Respawn(i, 0);
      Observe(envs_[i].state, observations, i);
    }
  });
}

void VectorSim::Impl::CheckShapes(const StepBatch& batch) const {
  const size_t num_envs = envs_.size();
  const size_t observation_bytes = num_envs * sensors_->spec().row_bytes;
  LAPFORGE_ASSERT(batch.actions.size() == num_envs * options_.action_dim(),
                  "actions are [num_envs, action_dim]");
  LAPFORGE_ASSERT(batch.observations.size() == observation_bytes,
                  "observations are [num_envs, row_bytes]");
  LAPFORGE_ASSERT(batch.final_observations.size() == observation_bytes,
                  "final observations are [num_envs, row_bytes]");
  LAPFORGE_ASSERT(batch.facts.size() == num_envs, "facts are [num_envs]");
}

void VectorSim::Impl::Step(const StepBatch& batch) {
  pool_->ParallelFor(options_.num_envs, [&](int begin, int end, int) {
    NoStopwatch no_stopwatch;
    for (int i = begin; i < end; ++i) {
      PrefetchAhead(std::span(envs_).subspan(i, end - i));
      if (i + 1 < end) PrefetchToWrite(batch.facts[i + 1]);
      StepEnv(i, batch, no_stopwatch);
    }
  });
}

// The step of one env, phase by phase.
template <class Stopwatch>
void VectorSim::Impl::StepEnv(int env_index, const StepBatch& batch, Stopwatch& stopwatch) {
  Env& env = envs_[env_index];
  EnvState& state = env.state;
  StepFacts& facts = batch.facts[env_index];
  const bool shows_state_before = options_.facts == FactsInstant::kDeepracer;
  if (shows_state_before) facts = state.now;

  // actuate
  const size_t action_dim = static_cast<size_t>(options_.action_dim());
  const Action action = Actuate(env, batch.actions.subspan(env_index * action_dim, action_dim));
  stopwatch.Lap(StepPhase::kActuate);

  // integrate
  FrontPoints front_points_m;
  Integrate(env, front_points_m);
  stopwatch.Lap(StepPhase::kIntegrate);

  // measure; after a fault the last healthy facts stand
  const bool is_healthy = Measure(env, front_points_m);
  if (!shows_state_before) facts = state.now;
  DescribeStep(action, is_healthy, state, facts);

  // judge
  if (is_healthy) {
    Judge(RulesOn(view(state)), {state.num_steps, state.num_steps * dt_s_}, state.judge, facts);
  } else {
    JudgeFault(facts);
  }
  stopwatch.Lap(StepPhase::kMeasureAndJudge);

  // observe
  if (facts.ended()) {
    Observe(state, batch.final_observations, env_index);
    Respawn(env_index, state.now.episode_index + 1);
  } else if (facts.reset_reason != EndReason::kNone) {
    PutBack(env, facts);
  }
  Observe(state, batch.observations, env_index);
  stopwatch.Lap(StepPhase::kObserve);
}

Action VectorSim::Impl::Actuate(Env& env, std::span<const float> numbers) const {
  EnvState& state = env.state;
  ++state.num_steps;
  ++state.total_steps;
  const Action action = action_map_.FromNumbers(numbers);
  ActuatorsOf(env).Command(VaryCommand(action.command, state.variation), state.actuators);
  return action;
}

void VectorSim::Impl::Integrate(Env& env, FrontPoints& front_points_m) const {
  env.world->BeginControlStep();
  const Actuators& actuators = ActuatorsOf(env);
  ActuatorState& state = env.state.actuators;
  const Vec2 front_m = ModelOf(env).spec.com_to_front_point_m();
  front_points_m[0] = env.state.now.front_point_m;
  for (int i = 1; i <= options_.timing.substeps_per_control; ++i) {
    actuators.Advance(state);
    env.world->Substep(
        {static_cast<float>(state.steering_rad), static_cast<float>(state.drive_speed_mps)});
    front_points_m[i] = env.world->PointAt(front_m);
  }
}

// False after a fault: then nothing is measured.
bool VectorSim::Impl::Measure(Env& env, const FrontPoints& front_points_m) const {
  EnvState& state = env.state;
  const BodyState body = env.world->state();
  if (!IsHealthy(body)) {
    ++state.num_faults;
    return false;
  }

  const tracks::Track& track = view(state);
  StepFacts& now = state.now;
  const double last_progress_pct = now.progress_pct < 100 ? now.progress_pct : 0;
  const double last_arc_m = now.position.arc_length_m;
  state.last_velocity_mps = state.velocity_mps;
  state.velocity_mps = VelocityOf(body);
  MeasureCar(ModelOf(env), body, state.actuators, now);
  MeasureTrack(track, track.ProjectNear(now.front_point_m, now.position.segment_index),
               last_progress_pct, now);
  MeasureBoxes(options_.objects, model_->spec, now);
  now.progress_delta_m = track.ArcLengthDelta(last_arc_m, now.position.arc_length_m);

  // a completed lap is timed, and the next one counts from there
  now.lap_time_us = 0;
  if (now.progress_pct >= 100) {
    const size_t num_points = static_cast<size_t>(options_.timing.substeps_per_control) + 1;
    const StepPath path = {
        {front_points_m.data(), num_points}, (state.num_steps - 1) * dt_s_, substep_s_};
    const int64_t crossing_us = CrossingTimeUs(track, now.start_arc_length_m, path);
    now.lap_time_us = crossing_us - state.lap_start_us;
    state.lap_start_us = crossing_us;
  }
  ReadLapClock(state);
  return true;
}

// What the step was asked to do. After a fault the action itself may not be finite: then it is left
// out.
void VectorSim::Impl::DescribeStep(const Action& action, bool is_healthy, EnvState& state,
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

void VectorSim::Impl::Observe(const EnvState& state, std::span<std::byte> rows,
                              int env_index) const {
  const size_t row_bytes = sensors_->spec().row_bytes;
  sensors_->Write(state, rows.subspan(static_cast<size_t>(env_index) * row_bytes, row_bytes));
}

// The boxes and the car of the episode that the state is in.
void VectorSim::Impl::SetUpEpisode(Env& env) const {
  ReadLapClock(env.state);
  const StepFacts& now = env.state.now;
  for (int i = 0; i < now.num_objects; ++i) {
    env.world->PlaceBox(i, now.objects[i].position_m, now.objects[i].yaw_rad);
  }
  if (!env.varied) return;
  const CarSpec car = VaryCar(unnamed_car_, env.state.variation);
  *env.varied = {VehicleModel(car, substep_s_), Actuators(car, substep_s_)};
  env.world->UseModel(env.varied->model);
}

Result<void> VectorSim::Impl::Restore(std::span<const std::byte> bytes) {
  LAPFORGE_CHECK_OK(RestoreEnvs(bytes, setup_hash_, envs_));
  for (Env& env : envs_) SetUpEpisode(env);
  return {};
}

void VectorSim::Impl::ObserveAll(std::span<std::byte> observations) const {
  pool_->ParallelFor(options_.num_envs, [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) Observe(envs_[i].state, observations, i);
  });
}

void VectorSim::Impl::Respawn(int env_index, uint32_t episode_index) {
  Env& env = envs_[env_index];
  const bool is_reversed = IsReversedEpisode(options_.episode.direction, episode_index);
  const int num_widths = NumTrackWidths(options_.randomize);
  const int num_tracks = static_cast<int>(views_.size()) / 2 / num_widths;
  StepFacts& now = env.state.now;
  now.env_index = env_index;
  now.episode_index = episode_index;
  env.state.variation = DrawVariation(options_, env_index, episode_index);
  const int copy = env_index % num_tracks * num_widths + env.state.variation.track_width_index;
  now.track_index = 2 * copy + (is_reversed ? 1 : 0);

  const tracks::Track& track = view(env.state);
  PlaceBoxes(options_, views_[static_cast<size_t>(now.track_index) / 2 * 2], track, now);
  SetUpEpisode(env);
  const CarSpec& car = ModelOf(env).spec;
  const double car_length_m = car.com_to_front_point_m().x + car.com_to_rear_axle_m;
  const EpisodeStart start = ChooseStart(options_, track, env_index, episode_index, car_length_m);
  Placement placement;
  const double offset_m = OffsetBesideBoxes(track, now, start.arc_length_m, start.lateral_offset_m);
  placement.front_point_m = track.PointAt(start.arc_length_m, offset_m);
  placement.yaw_rad = track.TangentYawAt(start.arc_length_m) + start.heading_error_rad;
  placement.speed_mps = start.speed_mps;
  StartEpisode(env, placement);

  // counted from where single precision put the front point, so that progress starts at exactly 0
  now.start_arc_length_m = now.position.arc_length_m;
  now.progress_pct = 0;
}

// A car rolling straight ahead, everything else of the episode as new.
void VectorSim::Impl::StartEpisode(Env& env, const Placement& placement) const {
  EnvState& state = env.state;
  state.judge = {};
  state.num_steps = 0;
  state.lap_start_us = 0;
  state.now.start_arc_length_m = placement.start_arc_length_m;
  state.now.lap_time_us = 0;
  StandCar(env, placement);
}

// The same episode goes on from a standing car, and the lap has begun so much earlier.
void VectorSim::Impl::PutBack(Env& env, const StepFacts& violation) const {
  const ResetPose pose = ChooseResetPose(view(env.state), violation);
  Placement placement;
  placement.front_point_m = pose.front_point_m;
  placement.yaw_rad = pose.yaw_rad;
  placement.previous_progress_pct = env.state.now.progress_pct;
  env.state.lap_start_us -= PenaltyUs(options_.episode, violation.reset_reason);
  StandCar(env, placement);
}

void VectorSim::Impl::StandCar(Env& env, const Placement& placement) const {
  EnvState& state = env.state;
  const Vec2 front_m = ModelOf(env).spec.com_to_front_point_m();
  const Vec2 forward = DirectionOf(placement.yaw_rad);
  const Vec2 com_m =
      placement.front_point_m - front_m.x * forward - front_m.y * LeftNormal(forward);
  const BodyState body = StandingBody(ModelOf(env), com_m, placement.yaw_rad, placement.speed_mps);
  LAPFORGE_ASSERT(IsHealthy(body), "a pose to stand on is finite");
  env.world->set_state(body);
  state.actuators = ActuatorsOf(env).AtRest(placement.speed_mps);

  StepFacts& now = state.now;
  ReadLapClock(state);
  now.action = {};
  now.progress_delta_m = 0;
  MeasureCar(ModelOf(env), body, state.actuators, now);
  MeasureTrack(view(state), view(state).Project(now.front_point_m), placement.previous_progress_pct,
               now);
  MeasureBoxes(options_.objects, model_->spec, now);
  state.velocity_mps = state.last_velocity_mps = VelocityOf(body);
}

void VectorSim::Impl::EndEpisode(int env_index, std::span<std::byte> observations) {
  Respawn(env_index, envs_[env_index].state.now.episode_index + 1);
  Observe(envs_[env_index].state, observations, env_index);
}

void VectorSim::Impl::Place(int env_index, const Placement& placement) {
  ++envs_[env_index].state.now.episode_index;
  StartEpisode(envs_[env_index], placement);
}

VectorSim::VectorSim(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VectorSim::~VectorSim() = default;

Result<std::unique_ptr<VectorSim>> VectorSim::Create(const SimOptions& options, const CarSpec& car,
                                                     std::vector<tracks::Track> tracks,
                                                     ThreadPool* pool) {
  LAPFORGE_CHECK_OK(Validate(options));
  if (const auto checked = Validate(car); !checked.ok()) {
    return ErrorOf("car ", car.name, ": ", checked.error().message);
  }
  LAPFORGE_CHECK_OK(CheckVariedCars(car, options.randomize));
  if (tracks.empty()) return ErrorOf("a simulator needs at least one track");
  LAPFORGE_ASSERT(pool != nullptr, "a simulator needs a thread pool");

  std::vector<tracks::Track> views;
  for (const tracks::Track& track : tracks) {
    LAPFORGE_TRY(const auto copies, InAllWidths(track, car, options.randomize));
    for (const tracks::Track& copy : copies) {
      views.push_back(copy);
      views.push_back(copy.Reversed());
    }
  }
  auto impl = std::make_unique<Impl>(options, car, std::move(views), pool);
  LAPFORGE_TRY(impl->sensors_, SensorSuite::Create(options, car, impl->views_));
  return std::unique_ptr<VectorSim>(new VectorSim(std::move(impl)));
}

const SimOptions& VectorSim::options() const { return impl_->options_; }
const CarSpec& VectorSim::car() const { return impl_->model_->spec; }
int VectorSim::num_envs() const { return impl_->options_.num_envs; }
const ObservationSpec& VectorSim::observation_spec() const { return impl_->sensors_->spec(); }
std::span<const tracks::Track> VectorSim::tracks() const { return impl_->views_; }

void VectorSim::Reset(std::span<std::byte> observations) {
  LAPFORGE_ASSERT(observations.size() == num_envs() * observation_spec().row_bytes,
                  "observations are [num_envs, row_bytes]");
  impl_->Reset(observations);
}

void VectorSim::Step(const StepBatch& batch) {
  impl_->CheckShapes(batch);
  impl_->Step(batch);
}

PhaseTimes VectorSim::StepTimed(const StepBatch& batch) {
  impl_->CheckShapes(batch);
  PhaseStopwatch stopwatch;
  for (int i = 0; i < num_envs(); ++i) {
    stopwatch.Start();
    impl_->StepEnv(i, batch, stopwatch);
  }
  return stopwatch.times();
}

void VectorSim::EndEpisode(int env_index, std::span<std::byte> observations) {
  LAPFORGE_ASSERT(env_index >= 0 && env_index < num_envs(), "no such env");
  LAPFORGE_ASSERT(observations.size() == num_envs() * observation_spec().row_bytes,
                  "observations are [num_envs, row_bytes]");
  impl_->EndEpisode(env_index, observations);
}

void VectorSim::Place(int env_index, const Placement& placement) {
  LAPFORGE_ASSERT(env_index >= 0 && env_index < num_envs(), "no such env");
  impl_->Place(env_index, placement);
}

const StepFacts& VectorSim::now(int env_index) const {
  return impl_->envs_.at(static_cast<size_t>(env_index)).state.now;
}

void VectorSim::Observe(std::span<std::byte> observations) const {
  LAPFORGE_ASSERT(observations.size() == num_envs() * observation_spec().row_bytes,
                  "observations are [num_envs, row_bytes]");
  impl_->ObserveAll(observations);
}

std::vector<std::byte> VectorSim::Save() const {
  return SaveEnvs(impl_->envs_, impl_->setup_hash_);
}

Result<void> VectorSim::Restore(std::span<const std::byte> bytes) { return impl_->Restore(bytes); }

uint64_t VectorSim::StateHash() const {
  StateHasher hasher;
  for (const Env& env : impl_->envs_) HashEnv(env, hasher);
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
