#include "agents/distiller.h"

#include <algorithm>

#include "agents/algorithms/imitation.h"
#include "agents/evaluation.h"
#include "agents/nets/actor_critic.h"
#include "agents/nets/make_network.h"
#include "agents/nets/policy_tensors.h"
#include "agents/nets/row_layout.h"
#include "agents/rollout/episode_counts.h"
#include "agents/rollout/frame_collector.h"
#include "agents/rollout/sim_environment.h"
#include "agents/trainer.h"
#include "sim/base/assert.h"
#include "sim/base/hash.h"
#include "sim/base/log.h"
#include "sim/base/stopwatch.h"

namespace lapforge::agents {
namespace {

constexpr uint32_t kStateVersion = 2;

// A student has no use for rewards.
class NoReward : public reward::RewardFunction {
 public:
  Result<void> Evaluate(std::span<const sim::StepFacts>, std::span<float> rewards) override {
    std::fill(rewards.begin(), rewards.end(), 0.0f);
    return {};
  }
};

// What the teacher is trained with: it sees other things through a plain net, and its learning rate
// falls towards the end of its own phase.
TrainOptions TeacherOptions(const TrainOptions& options) {
  TrainOptions teacher = options;
  teacher.sim = TeacherSimOptions(options);
  teacher.run.method = Method::kPpo;
  teacher.run.total_env_steps = options.distill.teacher_env_steps;
  teacher.net.kind = NetKind::kMlp;
  teacher.net.device = NetDevice::kCpu;  // the fastest place for a small net
  return teacher;
}

// What the policy learns on with: gently, from a net that reads its inputs as they are.
TrainOptions ThenPpoOptions(const TrainOptions& options) {
  const DistillOptions& distill = options.distill;
  TrainOptions then = options;
  then.run.method = Method::kPpo;
  then.run.total_env_steps = std::max<int64_t>(1, distill.then_ppo_env_steps);
  then.ppo.learning_rate = distill.then_ppo_learning_rate;
  then.ppo.critic_warm_up_iterations = distill.then_ppo_warm_up_iterations;
  then.net.initial_log_std = std::max(distill.then_ppo_initial_log_std, options.net.min_log_std);
  then.net.normalize_observations = false;
  then.net.shared_trunk = false;  // the student's net has no output for a value
  return then;
}

// Both lists as one, each message once.
std::vector<reward::RewardErrorCount> Joined(std::vector<reward::RewardErrorCount> first,
                                             const std::vector<reward::RewardErrorCount>& second) {
  for (const reward::RewardErrorCount& count : second) {
    const auto same = std::find_if(first.begin(), first.end(), [&](const auto& earlier) {
      return earlier.message == count.message;
    });
    if (same == first.end()) {
      first.push_back(count);
    } else {
      same->num_episodes += count.num_episodes;
    }
  }
  return first;
}

}  // namespace

sim::SimOptions TeacherSimOptions(const TrainOptions& options) {
  sim::SimOptions teacher = options.sim;
  teacher.sensors = PrivilegedSensors(options.sim);
  teacher.episode.off_track_wheels =
      std::min(options.sim.episode.off_track_wheels, options.distill.teacher_off_track_wheels);
  return teacher;
}

sim::SimOptions StudentSimOptions(const TrainOptions& options) {
  sim::SimOptions student = options.sim;
  student.sensors = JoinSensors(options.sim.sensors, PrivilegedSensors(options.sim));
  student.episode.max_steps = options.distill.max_steps;
  return student;
}

sim::SimOptions ThenPpoSimOptions(const TrainOptions& options) {
  return TrainerSimOptions(ThenPpoOptions(options));
}

namespace {

// One student: as it learns, and as it will drive.
struct StudentNetworks {
  std::unique_ptr<Network> learning;
  std::unique_ptr<Network> driving;
};

}  // namespace

class Distiller::Impl {
 public:
  Impl(const TrainOptions& train_options, std::unique_ptr<Trainer> teacher_trainer,
       StudentNetworks student_networks, std::unique_ptr<Trainer> then_ppo_trainer,
       const DistillerParts& parts)
      : options(train_options),
        teacher(std::move(teacher_trainer)),
        network(std::move(student_networks.learning)),
        driving_network(std::move(student_networks.driving)),
        environment(MakeSimEnvironment(parts.student_sim, &no_reward, 1)),
        imitation(options.distill, environment->spec().kind, network.get(), parts.pool,
                  options.seed),
        newest(MakeNetworkDriver(environment->spec().kind, driving_network.get(), Newest())),
        drivers(MakeDrivers()),
        collector(options.distill, CollectorParts(parts.pool)),
        then_ppo(std::move(then_ppo_trainer)) {
    if (then_ppo) fresh_then_ppo = then_ppo->Save();
  }

  std::function<Parameters()> Newest() const {
    return [this] { return imitation.versioned_parameters(); };
  }

  std::vector<std::unique_ptr<PolicyDriver>> MakeDrivers() const {
    std::vector<std::unique_ptr<PolicyDriver>> made;
    for (int i = 0; i < kNumShards; ++i) {
      const RowRange rows = ShardRows(environment->spec().num_envs, i);
      made.push_back(MakeNetworkDriver(environment->spec().kind, network.get(), Newest(),
                                       std::max(1, rows.size())));
    }
    return made;
  }

  FrameCollectorParts CollectorParts(ThreadPool* pool) {
    const sim::SensorOptions privileged = PrivilegedSensors(options.sim);
    const sim::SensorOptions carried = JoinSensors(options.sim.sensors, privileged);
    FrameCollectorParts parts{environment.get(),
                              RowView(options.sim.sensors, carried),
                              RowView(privileged, carried),
                              &teacher->driver(),
                              {},
                              pool};
    for (const auto& driver : drivers) parts.students.push_back(driver.get());
    return parts;
  }

  int64_t env_steps() const {
    return teacher->env_steps() + student_env_steps + (then_ppo ? then_ppo->env_steps() : 0);
  }
  int64_t iteration() const {
    const int64_t num_rounds = student_env_steps / collector.ring().shape().frames_per_round;
    return teacher->iteration() + num_rounds + (then_ppo ? then_ppo->iteration() : 0);
  }
  // Steps at which the student has had its share: a quarter at least of what the teacher left.
  int64_t student_end() const {
    const int64_t total = options.run.total_env_steps;
    const int64_t left = std::max<int64_t>(0, total - teacher->env_steps());
    return total - std::min(options.distill.then_ppo_env_steps, left / 4 * 3);
  }
  std::vector<reward::RewardErrorCount> reward_errors() const {
    return then_ppo ? Joined(teacher->reward_errors(), then_ppo->reward_errors())
                    : teacher->reward_errors();
  }
  // Who learns in this phase, if it is no student.
  Trainer& trainer() const { return phase == LearningPhase::kReward ? *then_ppo : *teacher; }

  double LearningRate() const {
    const DistillOptions& distill = options.distill;
    const double student_budget =
        static_cast<double>(std::max<int64_t>(1, student_end() - teacher->env_steps()));
    const double done_frac = std::min(1.0, static_cast<double>(student_env_steps) / student_budget);
    return distill.learning_rate * learning_rate_scale *
           (1 + (distill.final_learning_rate_frac - 1) * done_frac);
  }

  Result<std::optional<IterationStats>> TeachOneRound(const StopCheck& should_stop) {
    IterationStats stats;
    stats.phase = LearningPhase::kStudent;
    stats.learning_rate = LearningRate();

    // collect
    const Stopwatch watch;
    LAPFORGE_TRY(const bool is_collected, collector.Collect(should_stop));
    if (!is_collected) return std::optional<IterationStats>();
    stats.collect_s = watch.seconds();

    // imitate
    ByteWriter before;
    imitation.Save(before);
    const Result<std::optional<double>> loss =
        imitation.Update(collector.ring(), stats.learning_rate, should_stop);
    has_diverged = !loss.ok();
    if (has_diverged || !loss->has_value()) {
      const std::vector<std::byte> bytes = before.Take();
      ByteReader reader(bytes);
      LAPFORGE_ASSERT(imitation.Restore(reader), "a student's own state fits it");
      collector.UndoRound();
      if (has_diverged) return loss.error();
      return std::optional<IterationStats>();
    }
    stats.distill_loss = **loss;
    stats.update_s = watch.seconds() - stats.collect_s;

    // count
    stats.new_env_steps = collector.ring().shape().frames_per_round;
    student_env_steps += stats.new_env_steps;
    stats.env_steps = env_steps();
    stats.iteration = iteration();
    CountEpisodes(environment->TakeEpisodeStats(), stats);
    CountRewardErrors(reward_errors(), stats);
    return std::optional(std::move(stats));
  }

  // One iteration of the teacher, or of the policy after its lessons.
  Result<std::optional<IterationStats>> LearnFromReward(const StopCheck& should_stop) {
    LAPFORGE_TRY(std::optional<IterationStats> stats, trainer().RunIteration(should_stop));
    if (!stats) return stats;
    stats->phase = phase;
    stats->env_steps = env_steps();
    stats->iteration = iteration();
    stats->num_reward_errors = 0;
    CountRewardErrors(reward_errors(), *stats);
    return stats;
  }

  // PPO goes on from the student; what it had learned before a rollback is forgotten.
  void BeginThenPpo() {
    LAPFORGE_ASSERT(then_ppo->Restore(fresh_then_ppo).ok(), "a trainer's own state fits it");
    then_ppo->StartFrom(imitation.parameters(), *teacher);
    then_ppo->ScaleLearningRate(learning_rate_scale);
    phase = LearningPhase::kReward;
  }

  // The frames are of no use to PPO.
  std::vector<std::byte> Save() const {
    ByteWriter writer;
    writer.Write(kStateVersion);
    writer.Write(phase);
    writer.Write(teacher->Save());
    writer.Write(student_env_steps);
    writer.Write(learning_rate_scale);
    imitation.Save(writer);
    if (phase == LearningPhase::kReward) {
      writer.Write(then_ppo->Save());
    } else {
      collector.Save(writer);
    }
    return writer.Take();
  }

  // May stop half-way.
  Result<void> Load(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    uint32_t version = 0;
    std::vector<std::byte> teacher_state;
    LearningPhase saved_phase = LearningPhase::kTeacher;
    reader.Read(version);
    if (version != kStateVersion) {
      return ErrorOf("the saved teacher and student have format ", version,
                     "; this Lapforge reads ", kStateVersion);
    }
    reader.Read(saved_phase);
    reader.Read(teacher_state);
    reader.Read(student_env_steps);
    reader.Read(learning_rate_scale);
    if (!reader.ok()) return ErrorOf("the saved teacher and student are damaged");
    LAPFORGE_CHECK_OK(teacher->Restore(teacher_state));
    if (!imitation.Restore(reader)) {
      return ErrorOf("the saved student has another size: net.* or sim.sensors differ");
    }
    if (saved_phase == LearningPhase::kReward) {
      LAPFORGE_CHECK_OK(RestoreThenPpo(reader));
    } else {
      LAPFORGE_CHECK_OK(collector.Restore(reader));
      if (then_ppo) LAPFORGE_CHECK_OK(then_ppo->Restore(fresh_then_ppo));
    }
    if (!reader.AtEnd() || saved_phase > LearningPhase::kStudent) {
      return ErrorOf("the saved teacher and student are damaged");
    }
    phase = saved_phase;
    return {};
  }

  Result<void> RestoreThenPpo(ByteReader& reader) {
    std::vector<std::byte> state;
    if (!reader.Read(state)) return ErrorOf("the saved policy after its lessons is damaged");
    if (!then_ppo) {
      return ErrorOf("the saved policy learns by PPO already; distill.then_ppo_env_steps is 0");
    }
    return then_ppo->Restore(state);
  }

  TrainOptions options;
  std::unique_ptr<Trainer> teacher;
  std::unique_ptr<Network> network;
  std::unique_ptr<Network> driving_network;
  NoReward no_reward;
  std::unique_ptr<Environment> environment;
  Imitation imitation;
  std::unique_ptr<PolicyDriver> newest;                // the student, for evaluations
  std::vector<std::unique_ptr<PolicyDriver>> drivers;  // [kNumShards], for the collector
  FrameCollector collector;
  std::unique_ptr<Trainer> then_ppo;  // null: nobody goes on from the student
  std::vector<std::byte> fresh_then_ppo;
  LearningPhase phase = LearningPhase::kTeacher;
  int64_t student_env_steps = 0;
  double learning_rate_scale = 1;  // of the student
  bool has_diverged = false;       // the student, in the last iteration
};

Distiller::Distiller(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Distiller::~Distiller() = default;

Result<std::unique_ptr<Distiller>> Distiller::Create(const TrainOptions& options,
                                                     const DistillerParts& parts) {
  LAPFORGE_CHECK_OK(Validate(options));
  const EnvironmentSpec spec = SpecOf(*parts.student_sim);
  const sim::ObservationSpec row = sim::ObservationSpecOf(options.sim.sensors);
  StudentNetworks networks;
  LAPFORGE_TRY(networks.learning, MakeNetwork(options.net, row, spec.num_outputs));
  LAPFORGE_TRY(networks.driving, MakeNetwork(AsPoliciesDrive(options.net), row, spec.num_outputs));
  LAPFORGE_TRY(auto teacher, Trainer::Create(TeacherOptions(options), parts.teacher_sim,
                                             parts.reward, parts.pool));
  std::unique_ptr<Trainer> then_ppo;
  if (options.distill.then_ppo_env_steps > 0) {
    LAPFORGE_TRY(then_ppo, Trainer::Create(ThenPpoOptions(options), parts.then_ppo_sim,
                                           parts.reward, parts.pool));
  }
  return std::unique_ptr<Distiller>(new Distiller(std::make_unique<Impl>(
      options, std::move(teacher), std::move(networks), std::move(then_ppo), parts)));
}

Result<std::optional<IterationStats>> Distiller::RunIteration(const StopCheck& should_stop) {
  impl_->has_diverged = false;
  return impl_->phase == LearningPhase::kStudent ? impl_->TeachOneRound(should_stop)
                                                 : impl_->LearnFromReward(should_stop);
}

bool Distiller::has_diverged() const {
  return impl_->phase == LearningPhase::kStudent ? impl_->has_diverged
                                                 : impl_->trainer().has_diverged();
}

void Distiller::ScaleLearningRate(double factor) {
  if (impl_->phase == LearningPhase::kStudent) {
    impl_->learning_rate_scale *= factor;
  } else {
    impl_->trainer().ScaleLearningRate(factor);
  }
}

int64_t Distiller::env_steps() const { return impl_->env_steps(); }
int64_t Distiller::iteration() const { return impl_->iteration(); }

std::vector<reward::RewardErrorCount> Distiller::reward_errors() const {
  return impl_->reward_errors();
}
void Distiller::ForgetRewardErrors() {
  impl_->teacher->ForgetRewardErrors();
  if (impl_->then_ppo) impl_->then_ppo->ForgetRewardErrors();
}
LearningPhase Distiller::phase() const { return impl_->phase; }

Policy Distiller::policy() const {
  Policy policy;
  if (impl_->phase == LearningPhase::kReward) {
    policy = impl_->then_ppo->policy();
  } else {
    policy.tensors = ActorTensors(*impl_->network, impl_->imitation.parameters());
  }
  FillPolicyOptions(impl_->options, policy);
  policy.env_steps = impl_->env_steps();
  return policy;
}

PolicyDriver& Distiller::driver() {
  return impl_->phase == LearningPhase::kStudent ? *impl_->newest : impl_->trainer().driver();
}

bool Distiller::awaits_evaluation() const {
  switch (impl_->phase) {
    case LearningPhase::kTeacher:
      return impl_->env_steps() >= impl_->options.distill.teacher_env_steps;
    case LearningPhase::kStudent:
      return impl_->then_ppo && impl_->env_steps() >= impl_->student_end();
    case LearningPhase::kReward:
      break;
  }
  return false;
}

bool Distiller::BeginNextPhase() {
  if (impl_->phase != LearningPhase::kStudent || !impl_->then_ppo) return false;
  impl_->BeginThenPpo();
  return true;
}

void Distiller::OnEvaluation(const Evaluation& evaluation) {
  if (!awaits_evaluation()) return;
  if (BeginNextPhase()) return;
  const bool is_last_chance =
      impl_->teacher->env_steps() >= impl_->options.distill.teacher_max_env_steps;
  if (!evaluation.all_clean() && !is_last_chance) return;
  if (!evaluation.all_clean()) {
    LogWarning("the teacher does not drive clean laps after ", impl_->teacher->env_steps(),
               " steps (distill.teacher_max_env_steps); the student learns from it as it is");
  }
  impl_->phase = LearningPhase::kStudent;
}

std::vector<std::byte> Distiller::Save() const { return impl_->Save(); }

Result<void> Distiller::Restore(std::span<const std::byte> bytes) {
  const std::vector<std::byte> before = impl_->Save();
  Result<void> restored = impl_->Load(bytes);
  if (!restored.ok()) {
    LAPFORGE_ASSERT(impl_->Load(before).ok(), "a learner's own state fits it");
  }
  return restored;
}

uint64_t Distiller::ParameterHash() const {
  StateHasher hasher;
  const uint64_t teacher = impl_->teacher->ParameterHash();
  const std::vector<float>& student = impl_->imitation.parameters();
  hasher.Add(&teacher, sizeof(teacher));
  hasher.Add(student.data(), student.size() * sizeof(float));
  if (impl_->phase == LearningPhase::kReward) {
    const uint64_t then_ppo = impl_->then_ppo->ParameterHash();
    hasher.Add(&then_ppo, sizeof(then_ppo));
  }
  return hasher.Finish();
}

}  // namespace lapforge::agents
