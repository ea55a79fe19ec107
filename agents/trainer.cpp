#include "agents/trainer.h"

#include <algorithm>
#include <cmath>

#include "agents/algorithms/ppo_engine.h"
#include "agents/device/device_engine.h"
#include "agents/nets/actor_critic.h"
#include "agents/nets/net_plan.h"
#include "agents/nets/observation_normalizer.h"
#include "agents/nets/policy_tensors.h"
#include "agents/nets/row_layout.h"
#include "agents/rollout/episode_counts.h"
#include "agents/rollout/sim_environment.h"
#include "sim/base/assert.h"
#include "sim/base/hash.h"
#include "sim/base/stopwatch.h"

namespace lapforge::agents {
namespace {

constexpr uint32_t kStateVersion = 3;

// What a normaliser sees: images pass it by.
int NumNumbers(const sim::ObservationSpec& row) {
  return row.is_all_float() ? static_cast<int>(row.row_bytes / sizeof(float)) : 0;
}

bool HasStateCritic(const TrainOptions& options) {
  const sim::SensorOptions& sensors = options.sim.sensors;
  return options.net.critic_sees_state &&
         (sensors.Has(sim::SensorKind::kCamera) || sensors.Has(sim::SensorKind::kLidar));
}

bool IsOnDevice(const TrainOptions& options) { return options.net.device != NetDevice::kCpu; }

// The host's nets, wherever they learn: a GPU computes with bfloat16.
NetOptions HostNets(NetOptions options) {
  if (options.device == NetDevice::kCuda && options.precision == NetPrecision::kAuto) {
    options.precision = NetPrecision::kBfloat16;
  }
  options.device = NetDevice::kCpu;
  return options;
}

}  // namespace

class Trainer::Impl {
 public:
  static Result<std::unique_ptr<Impl>> Create(const TrainOptions& options,
                                              std::unique_ptr<Environment> environment,
                                              const SeenRows& rows, ThreadPool* pool) {
    DeviceChoice choice;
    if (IsOnDevice(options)) {
      LAPFORGE_TRY(choice, ChooseDevice(options.net.device));
    }
    LAPFORGE_TRY(ActorCritic nets, ActorCritic::Create(environment->spec(), rows,
                                                       HostNets(options.net), options.seed));
    auto impl = std::make_unique<Impl>(options, std::move(environment), std::move(nets), pool);
    if (!IsOnDevice(options)) {
      impl->engine = MakeHostEngine(options, impl->parts);
      return impl;
    }
    LAPFORGE_TRY(impl->engine, MakeDeviceEngine(options, impl->parts, choice));
    return impl;
  }

  Impl(const TrainOptions& train_options, std::unique_ptr<Environment> world,
       ActorCritic actor_critic, ThreadPool* pool)
      : options(train_options),
        environment(std::move(world)),
        nets(std::move(actor_critic)),
        normalizer(NumNumbers(environment->spec().row), options.net.normalize_observations),
        parts{environment.get(), &nets, &normalizer, pool},
        newest(MakePolicyDriver(environment->spec().kind, &nets, &normalizer)) {}

  double LearningRate() const {
    const double initial = options.ppo.learning_rate * learning_rate_scale;
    if (options.ppo.schedule == LearningRateSchedule::kConstant) return initial;
    const double done_frac = std::min(
        1.0, static_cast<double>(env_steps) / static_cast<double>(options.run.total_env_steps));
    return initial * (1 + (options.ppo.final_learning_rate_frac - 1) * done_frac);
  }

  // What does not come to its end leaves a state half-way.
  Result<std::optional<IterationStats>> Iterate(const StopCheck& should_stop) {
    IterationStats stats;
    stats.learning_rate = LearningRate();

    // collect
    const Stopwatch watch;
    LAPFORGE_TRY(const bool is_collected, engine->Collect(should_stop));
    if (!is_collected) return std::optional<IterationStats>();
    stats.collect_s = watch.seconds();

    // update
    const auto update = engine->Update(stats.learning_rate, should_stop);
    has_diverged = !update.ok();
    if (has_diverged) return update.error();
    if (!update->has_value()) return std::optional<IterationStats>();
    const LossSums& losses = (*update)->losses;
    stats.update_s = watch.seconds() - stats.collect_s;

    // count
    stats.new_env_steps = int64_t{options.ppo.horizon} * environment->spec().num_envs;
    env_steps += stats.new_env_steps;
    stats.env_steps = env_steps;
    stats.iteration = ++iteration;
    CountEpisodes(environment->TakeEpisodeStats(), stats);
    stats.reward_terms = environment->TakeRewardTerms();
    CountRewardErrors(environment->RewardErrorCounts(), stats);
    stats.policy_loss = losses.policy_loss;
    stats.value_loss = losses.value_loss;
    stats.entropy = losses.entropy;
    stats.learning_rate = (*update)->learning_rate;
    stats.approx_kl = losses.approx_kl;
    stats.clip_fraction = losses.clip_fraction;
    stats.explained_variance = (*update)->explained_variance;
    return std::optional(std::move(stats));
  }

  // May stop half-way.
  Result<void> Load(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    uint32_t version = 0;
    std::vector<float> actor;
    std::vector<float> critic;
    std::vector<std::byte> environment_state;
    reader.Read(version);
    if (version != kStateVersion) {
      return ErrorOf("the saved learner has format ", version, "; this Lapforge reads ",
                     kStateVersion);
    }
    reader.Read(env_steps);
    reader.Read(iteration);
    reader.Read(learning_rate_scale);
    reader.Read(actor);
    reader.Read(critic);
    if (!reader.ok()) return ErrorOf("the saved learner is damaged");
    if (actor.size() != nets.actor().size() || critic.size() != nets.critic().size()) {
      return ErrorOf(
          "the saved nets have other sizes: net.kind, net.hidden_units, net.shared_trunk, "
          "sim.sensors or sim.actions differ");
    }
    nets.actor() = std::move(actor);
    nets.critic() = std::move(critic);
    nets.ParametersChanged();
    if (!normalizer.Restore(reader) || !engine->Restore(reader) ||
        !reader.Read(environment_state) || !reader.AtEnd()) {
      return ErrorOf(
          "the saved learner is damaged, or net.normalize_observations or sim.num_envs differs");
    }
    return environment->Restore(environment_state);
  }

  TrainOptions options;
  std::unique_ptr<Environment> environment;
  ActorCritic nets;
  ObservationNormalizer normalizer;
  PpoParts parts;
  std::unique_ptr<PpoEngine> engine;
  std::unique_ptr<PolicyDriver> newest;
  int64_t env_steps = 0;
  int64_t iteration = 0;
  double learning_rate_scale = 1;
  bool has_diverged = false;
};

sim::SimOptions TrainerSimOptions(const TrainOptions& options) {
  sim::SimOptions sim = options.sim;
  if (HasStateCritic(options)) {
    sim.sensors = JoinSensors(options.sim.sensors, PrivilegedSensors(options.sim));
  }
  return sim;
}

Trainer::Trainer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Trainer::~Trainer() = default;

Result<std::unique_ptr<Trainer>> Trainer::Create(const TrainOptions& options, sim::VectorSim* sim,
                                                 reward::RewardFunction* reward, ThreadPool* pool) {
  LAPFORGE_CHECK_OK(Validate(options));
  if (sim->options().sensors.kinds != TrainerSimOptions(options).sensors.kinds) {
    return ErrorOf("the simulator carries other sensors than TrainerSimOptions says");
  }
  SeenRows rows;
  rows.actor = sim::ObservationSpecOf(options.sim.sensors);
  rows.critic =
      HasStateCritic(options) ? sim::ObservationSpecOf(PrivilegedSensors(options.sim)) : rows.actor;
  LAPFORGE_TRY(auto impl,
               Impl::Create(options, MakeSimEnvironment(sim, reward, options.reward.max_errors),
                            rows, pool));
  return std::unique_ptr<Trainer>(new Trainer(std::move(impl)));
}

Result<std::unique_ptr<Trainer>> Trainer::Create(const TrainOptions& options,
                                                 std::unique_ptr<Environment> environment,
                                                 ThreadPool* pool) {
  LAPFORGE_CHECK_OK(Validate(options));
  const sim::ObservationSpec row = environment->spec().row;
  LAPFORGE_TRY(auto impl, Impl::Create(options, std::move(environment), {row, row}, pool));
  return std::unique_ptr<Trainer>(new Trainer(std::move(impl)));
}

Result<std::optional<IterationStats>> Trainer::RunIteration(const StopCheck& should_stop) {
  const std::vector<std::byte> before = Save();
  impl_->has_diverged = false;
  Result<std::optional<IterationStats>> stats = impl_->Iterate(should_stop);
  if (!stats.ok() || !stats->has_value()) {
    LAPFORGE_ASSERT(impl_->Load(before).ok(), "a learner's own state fits it");
  }
  return stats;
}

void Trainer::StartFrom(std::span<const float> actor_net, const Trainer& judge) {
  ActorCritic& nets = impl_->nets;
  LAPFORGE_ASSERT(actor_net.size() == nets.actor_network().num_parameters(),
                  "the actor has the same net");
  std::ranges::copy(actor_net, nets.actor().begin());
  const Impl& other = *judge.impl_;
  const bool is_scaled =
      other.normalizer.is_on() || impl_->normalizer.is_on() || impl_->options.ppo.normalize_returns;
  const bool is_same =
      std::ranges::equal(other.nets.critic_row().sensors, nets.critic_row().sensors, {},
                         &sim::SensorSpec::name, &sim::SensorSpec::name);
  if (is_same && !is_scaled && other.nets.critic().size() == nets.critic().size()) {
    nets.critic() = other.nets.critic();
  }
  nets.ParametersChanged();
  impl_->engine->TakeNets();
}

bool Trainer::has_diverged() const { return impl_->has_diverged; }
void Trainer::ScaleLearningRate(double factor) { impl_->learning_rate_scale *= factor; }

int64_t Trainer::env_steps() const { return impl_->env_steps; }
std::vector<reward::RewardErrorCount> Trainer::reward_errors() const {
  return impl_->environment->RewardErrorCounts();
}
void Trainer::ForgetRewardErrors() { impl_->environment->ForgetRewardErrors(); }
int64_t Trainer::iteration() const { return impl_->iteration; }

Policy Trainer::policy() const {
  Policy policy = PolicyFromNets(impl_->nets, impl_->normalizer);
  FillPolicyOptions(impl_->options, policy);
  policy.env_steps = impl_->env_steps;
  return policy;
}

PolicyDriver& Trainer::driver() { return *impl_->newest; }

std::vector<std::byte> Trainer::Save() const {
  ByteWriter writer;
  writer.Write(kStateVersion);
  writer.Write(impl_->env_steps);
  writer.Write(impl_->iteration);
  writer.Write(impl_->learning_rate_scale);
  writer.Write(impl_->nets.actor());
  writer.Write(impl_->nets.critic());
  impl_->normalizer.Save(writer);
  impl_->engine->Save(writer);
  writer.Write(impl_->environment->Save());
  return writer.Take();
}

Result<void> Trainer::Restore(std::span<const std::byte> bytes) {
  const std::vector<std::byte> before = Save();
  Result<void> restored = impl_->Load(bytes);
  if (!restored.ok()) {
    LAPFORGE_ASSERT(impl_->Load(before).ok(), "a learner's own state fits it");
  }
  return restored;
}

uint64_t Trainer::ParameterHash() const {
  StateHasher hasher;
  for (const std::vector<float>* parameters : {&impl_->nets.actor(), &impl_->nets.critic()}) {
    hasher.Add(parameters->data(), parameters->size() * sizeof(float));
  }
  return hasher.Finish();
}

}  // namespace lapforge::agents
