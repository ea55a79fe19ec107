#include "sim/vector_sim.h"

#include <algorithm>

#include "sim/base/assert.h"
#include "sim/base/byte_buffer.h"
#include "sim/base/hash.h"
#include "sim/episode/env.h"
#include "sim/sensors/track_state.h"

namespace lapforge::sim {
namespace {

constexpr uint32_t kStateVersion = 1;

// Tells apart simulators whose states must not be mixed.
uint64_t IdentityHash(const SharedModel& model) {
  StateHasher hasher;
  const std::string options = OptionsToText(model.options);
  const std::string car = OptionsToText(model.car);
  hasher.Add(options.data(), options.size());
  hasher.Add(car.data(), car.size());
  for (const tracks::Track& track : model.views) {
    for (int i = 0; i < track.num_waypoints(); ++i) {
      const tracks::Waypoint waypoint = track.waypoint(i);
      for (const Vec2 point : {waypoint.center_m, waypoint.left_m, waypoint.right_m}) {
        hasher.Add(point.x);
        hasher.Add(point.y);
      }
    }
    hasher.Add(track.start_m());
  }
  return hasher.Finish();
}

ObservationSpec SpecOf(const SensorOptions& sensors) {
  const int count = TrackStateSize(sensors);
  const size_t bytes = static_cast<size_t>(count) * sizeof(float);
  return {{{"track_state", ObservationType::kFloat32, {count}, 0, bytes}}, bytes};
}

Result<void> CheckTracks(const SimOptions& options, const std::vector<tracks::Track>& tracks) {
  if (tracks.empty()) return ErrorOf("a simulator needs at least one track");
  for (const tracks::Track& track : tracks) {
    if (!track.is_closed() && options.episode.max_laps > 1) {
      return ErrorOf("track ", track.name(), " is open: episode.max_laps ",
                     options.episode.max_laps, " laps cannot be driven, expected 0 or 1");
    }
  }
  return {};
}

}  // namespace

const char* EndReasonName(EndReason reason) {
  switch (reason) {
    case EndReason::kNone:
      return "in_progress";
    case EndReason::kOffTrack:
      return "off_track";
    case EndReason::kLapComplete:
      return "lap_complete";
    case EndReason::kStepLimit:
      return "step_limit";
    case EndReason::kStuck:
      return "stuck";
    case EndReason::kReversed:
      return "reversed";
    case EndReason::kFault:
      return "fault";
  }
  return "";
}

class VectorSim::Impl {
 public:
  Impl(std::shared_ptr<const SharedModel> shared, ThreadPool* thread_pool)
      : model(std::move(shared)),
        pool(thread_pool),
        spec(SpecOf(model->options.sensors)),
        identity(IdentityHash(*model)) {
    for (int i = 0; i < model->options.num_envs; ++i) {
      envs.push_back(std::make_unique<Env>(model, i));
    }
  }

  std::span<std::byte> RowOf(std::span<std::byte> rows, int env) const {
    return rows.subspan(size_t(env) * spec.row_bytes, spec.row_bytes);
  }

  // The whole control step of one env.
  void StepEnv(int index, const StepBatch& batch) {
    const size_t action_dim = size_t(model->options.action_dim());
    Env& env = *envs[size_t(index)];
    StepFacts& facts = batch.facts[size_t(index)];
    env.Actuate(batch.actions.subspan(size_t(index) * action_dim, action_dim), facts);
    env.Integrate();
    env.Measure(facts);
    env.JudgeStep(facts);
    if (facts.ended()) env.Observe(RowOf(batch.final_observations, index));
    env.RespawnIfEnded(facts);
    env.Observe(RowOf(batch.observations, index));
  }

  std::shared_ptr<const SharedModel> model;
  ThreadPool* pool;
  ObservationSpec spec;
  uint64_t identity;
  std::vector<std::unique_ptr<Env>> envs;
};

VectorSim::VectorSim(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VectorSim::~VectorSim() = default;

Result<std::unique_ptr<VectorSim>> VectorSim::Create(const SimOptions& options, const CarSpec& car,
                                                     std::vector<tracks::Track> tracks,
                                                     ThreadPool* pool) {
  LAPFORGE_CHECK_OK(Validate(options));
  LAPFORGE_CHECK_OK(Validate(car));
  LAPFORGE_CHECK_OK(CheckTracks(options, tracks));
  std::vector<tracks::Track> views;
  for (const tracks::Track& track : tracks) {
    views.push_back(track);
    views.push_back(track.Reversed());
  }
  auto model = std::make_shared<const SharedModel>(options, car, std::move(views));
  std::unique_ptr<VectorSim> sim(new VectorSim(std::make_unique<Impl>(std::move(model), pool)));
  for (auto& env : sim->impl_->envs) env->Reset();
  return sim;
}

const SimOptions& VectorSim::options() const { return impl_->model->options; }
const CarSpec& VectorSim::car() const { return impl_->model->car; }
int VectorSim::num_envs() const { return static_cast<int>(impl_->envs.size()); }
const ObservationSpec& VectorSim::observation_spec() const { return impl_->spec; }
std::span<const tracks::Track> VectorSim::tracks() const { return impl_->model->views; }

void VectorSim::Reset(std::span<std::byte> observations) {
  LAPFORGE_ASSERT(observations.size() == size_t(num_envs()) * impl_->spec.row_bytes,
                  "one observation row per env");
  impl_->pool->ParallelFor(num_envs(), [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) {
      impl_->envs[size_t(i)]->Reset();
      impl_->envs[size_t(i)]->Observe(impl_->RowOf(observations, i));
    }
  });
}

void VectorSim::Step(const StepBatch& batch) {
  const size_t count = size_t(num_envs());
  LAPFORGE_ASSERT(batch.actions.size() == count * size_t(options().action_dim()) &&
                      batch.observations.size() == count * impl_->spec.row_bytes &&
                      batch.final_observations.size() == batch.observations.size() &&
                      batch.facts.size() == count,
                  "one row per env in every buffer");
  impl_->pool->ParallelFor(num_envs(), [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) impl_->StepEnv(i, batch);
  });
}

void VectorSim::Place(int env_index, const Placement& placement) {
  impl_->envs.at(size_t(env_index))->Place(placement);
}

const CarState& VectorSim::car_state(int env_index) const {
  return impl_->envs.at(size_t(env_index))->car_state();
}

std::vector<std::byte> VectorSim::Save() const {
  ByteWriter writer;
  for (const auto& env : impl_->envs) {
    EnvState state = env->state();
    BodyState body = env->body();
    VisitState(state, body, [&](auto& field) { writer.Write(field); });
  }
  const std::vector<std::byte> states = writer.Take();
  writer.Write(kStateVersion);
  writer.Write(impl_->identity);
  writer.Write(HashBytes(states));
  writer.Write(states);
  return writer.Take();
}

Result<void> VectorSim::Restore(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  uint32_t version = 0;
  uint64_t identity = 0;
  uint64_t checksum = 0;
  std::vector<std::byte> states;
  reader.Read(version);
  reader.Read(identity);
  reader.Read(checksum);
  reader.Read(states);
  if (!reader.AtEnd() || HashBytes(states) != checksum) {
    return ErrorOf("the saved simulator state is damaged");
  }
  if (version != kStateVersion) {
    return ErrorOf("the saved simulator state has format ", version, "; this Lapforge reads ",
                   kStateVersion);
  }
  if (identity != impl_->identity) {
    return ErrorOf("the saved simulator state is of other options, another car or other tracks");
  }

  // all read before any env changes
  std::vector<EnvState> env_states(impl_->envs.size());
  std::vector<BodyState> bodies(impl_->envs.size());
  ByteReader fields(states);
  for (size_t i = 0; i < env_states.size(); ++i) {
    VisitState(env_states[i], bodies[i], [&](auto& field) { fields.Read(field); });
  }
  if (!fields.AtEnd()) return ErrorOf("the saved simulator state is damaged");
  for (size_t i = 0; i < env_states.size(); ++i) impl_->envs[i]->Restore(env_states[i], bodies[i]);
  return {};
}

uint64_t VectorSim::StateHash(int env_index) const {
  const Env& env = *impl_->envs.at(size_t(env_index));
  EnvState state = env.state();
  BodyState body = env.body();
  StateHasher hasher;
  VisitState(state, body, [&](auto& field) { hasher.Add(field); });
  return hasher.Finish();
}

uint64_t VectorSim::StateHash() const {
  StateHasher hasher;
  for (int i = 0; i < num_envs(); ++i) hasher.Add(StateHash(i));
  return hasher.Finish();
}

int64_t VectorSim::num_faults() const {
  int64_t sum = 0;
  for (const auto& env : impl_->envs) sum += env->num_faults();
  return sum;
}

}  // namespace lapforge::sim
