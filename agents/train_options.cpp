#include "agents/train_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "agents/goal/goal.h"
#include "agents/presets/presets.h"
#include "sim/base/file_io.h"
#include "sim/base/strings.h"
#include "sim/options_text.h"

namespace lapforge::agents {
namespace {

constexpr std::array<std::string_view, 2> kScheduleNames = {"linear", "constant"};
constexpr std::array<std::string_view, 2> kValueLossNames = {"squared", "huber"};
constexpr std::array<std::string_view, 3> kMethodNames = {"auto", "ppo", "distill"};
constexpr std::array<std::string_view, 8> kNetKindNames = {
    "auto", "mlp", "nano", "slim80", "slim160", "deepracer_shallow", "deepracer", "deepracer_deep"};
constexpr std::array<std::string_view, 3> kDeviceNames = {"cpu", "cuda", "cuda_twin"};
constexpr std::array<std::string_view, 3> kPrecisionNames = {"float32", "bf16", "auto"};
constexpr int64_t kMaxSamples = int64_t{1} << 24;  // of a rollout: 16 M rows fit in memory

Result<void> ValidateDistill(const TrainOptions& options) {
  const DistillOptions& distill = options.distill;
  if (distill.teacher_max_env_steps < distill.teacher_env_steps) {
    return ErrorOf("distill.teacher_max_env_steps ", distill.teacher_max_env_steps,
                   " is below distill.teacher_env_steps ", distill.teacher_env_steps);
  }
  if (options.run.total_env_steps <= distill.teacher_env_steps) {
    return ErrorOf("run.total_env_steps ", options.run.total_env_steps,
                   " leaves nothing for the student after distill.teacher_env_steps ",
                   distill.teacher_env_steps, "; raise the one or lower the other");
  }
  const int64_t before_ppo = options.run.total_env_steps - distill.then_ppo_env_steps;
  if (before_ppo <= distill.teacher_env_steps) {
    return ErrorOf("distill.then_ppo_env_steps ", distill.then_ppo_env_steps, " leaves ",
                   std::max<int64_t>(0, before_ppo),
                   " of run.total_env_steps to teacher and student; distill.teacher_env_steps is ",
                   distill.teacher_env_steps);
  }
  const int64_t frames = int64_t{distill.horizon} * options.sim.num_envs;
  if (frames > kMaxSamples) {
    return ErrorOf("distill.horizon x sim.num_envs is ", frames, " frames; expected at most ",
                   kMaxSamples);
  }
  return {};
}

Result<void> MergeText(std::string_view text, const std::string& source, TrainOptions& options) {
  TrainOptions merged = options;
  LAPFORGE_CHECK_OK(sim::ParseOptionsText(text, source, TrainOptionsSchema(),
                                          [&](const std::string& key, const std::string& value) {
                                            return SetOption(merged, key, value);
                                          }));
  options = std::move(merged);
  return {};
}

// "quick" of "quick.textproto"
std::string StemOf(const EmbeddedFile& file) {
  return std::string(file.name.substr(0, file.name.find('.')));
}

}  // namespace

std::string_view NetKindName(NetKind kind) { return kNetKindNames.at(static_cast<size_t>(kind)); }

std::optional<NetKind> NetKindFromName(std::string_view name) {
  const auto found = std::find(kNetKindNames.begin(), kNetKindNames.end(), name);
  if (found == kNetKindNames.end()) return std::nullopt;
  return static_cast<NetKind>(found - kNetKindNames.begin());
}

void VisitFields(PpoOptions& options, FieldVisitor& visitor) {
  visitor.Int("horizon", options.horizon, {1, 65536});
  visitor.Int("minibatch_size", options.minibatch_size, {2, 1 << 20});
  visitor.Int("num_epochs", options.num_epochs, {1, 100});
  visitor.Double("learning_rate", options.learning_rate, {0, 1});
  visitor.Double("adam_epsilon", options.adam_epsilon, {1e-12, 1});
  visitor.Enum("schedule", options.schedule, kScheduleNames);
  visitor.Double("final_learning_rate_frac", options.final_learning_rate_frac, {0, 1});
  visitor.Double("discount", options.discount, {0, 1});
  visitor.Double("gae_lambda", options.gae_lambda, {0, 1});
  visitor.Double("clip_range", options.clip_range, {0.001, 10});
  visitor.Double("entropy_coef", options.entropy_coef, {0, 10});
  visitor.Enum("value_loss", options.value_loss, kValueLossNames);
  visitor.Double("value_clip_range", options.value_clip_range, {0, 1e6});
  visitor.Int("critic_warm_up_iterations", options.critic_warm_up_iterations, {0, 1000000});
  visitor.Double("value_coef", options.value_coef, {0, 1000});
  visitor.Double("max_policy_grad_norm", options.max_policy_grad_norm, {1e-6, 1e9});
  visitor.Double("max_value_grad_norm", options.max_value_grad_norm, {1e-6, 1e9});
  visitor.Bool("normalize_advantages", options.normalize_advantages);
  visitor.Bool("normalize_returns", options.normalize_returns);
  visitor.Double("target_kl", options.target_kl, {0, 100});
}

void VisitFields(DistillOptions& options, FieldVisitor& visitor) {
  visitor.Int("teacher_env_steps", options.teacher_env_steps, {1, kMaxEnvSteps});
  visitor.Int("teacher_max_env_steps", options.teacher_max_env_steps, {1, kMaxEnvSteps});
  visitor.Int("horizon", options.horizon, {1, 65536});
  visitor.Int("num_minibatches", options.num_minibatches, {1, 65536});
  visitor.Int("minibatch_size", options.minibatch_size, {2, 1 << 20});
  visitor.Int("ring_frames", options.ring_frames, {1, kMaxSamples});
  visitor.Double("learning_rate", options.learning_rate, {0, 1});
  visitor.Double("final_learning_rate_frac", options.final_learning_rate_frac, {0, 1});
  visitor.Double("adam_epsilon", options.adam_epsilon, {1e-12, 1});
  visitor.Int("teacher_off_track_wheels", options.teacher_off_track_wheels, {1, 4});
  visitor.Int("teacher_drives_steps", options.teacher_drives_steps, {0, 1000000});
  visitor.Int("max_steps", options.max_steps, {1, 1000000});
  visitor.Int("evaluate_every_env_steps", options.evaluate_every_env_steps, {1, 1000000000});
  visitor.Int("then_ppo_env_steps", options.then_ppo_env_steps, {0, kMaxEnvSteps});
  visitor.Double("then_ppo_learning_rate", options.then_ppo_learning_rate, {0, 1});
  visitor.Double("then_ppo_initial_log_std", options.then_ppo_initial_log_std, {-20, 3});
  visitor.Int("then_ppo_warm_up_iterations", options.then_ppo_warm_up_iterations, {0, 1000000});
}

void VisitFields(NetOptions& options, FieldVisitor& visitor) {
  visitor.Enum("kind", options.kind, kNetKindNames);
  visitor.Enum("device", options.device, kDeviceNames);
  visitor.Bool("cuda_eyes", options.cuda_eyes);
  visitor.Bool("cuda_graphs", options.cuda_graphs);
  visitor.Enum("precision", options.precision, kPrecisionNames);
  visitor.Bool("critic_sees_state", options.critic_sees_state);
  visitor.Bool("shared_trunk", options.shared_trunk);
  visitor.IntList("hidden_units", options.hidden_units, {1, 4096});
  visitor.Double("initial_log_std", options.initial_log_std, {-10, 3});
  visitor.Double("min_log_std", options.min_log_std, {-20, 3});
  visitor.Double("last_layer_gain", options.last_layer_gain, {0, 10});
  visitor.Bool("normalize_observations", options.normalize_observations);
}

void VisitFields(RunOptions& options, FieldVisitor& visitor) {
  visitor.Enum("method", options.method, kMethodNames);
  visitor.String("track", options.track);
  visitor.StringList("more_tracks", options.more_tracks);
  visitor.Int("total_env_steps", options.total_env_steps, {1, kMaxEnvSteps});
  visitor.Double("max_time_s", options.max_time_s, {0, 1e9});
  visitor.Int("evaluate_every_env_steps", options.evaluate_every_env_steps, {1, 1000000000});
  visitor.Int("evaluation_laps", options.evaluation_laps, {1, 1000});
  visitor.Int("patience_evaluations", options.patience_evaluations, {0, 1000000});
  visitor.String("until", options.until);
  visitor.Double("min_improvement_frac", options.min_improvement_frac, {0, 1});
  visitor.Int("checkpoint_every_iterations", options.checkpoint_every_iterations, {1, 1000000});
  visitor.Int("keep_checkpoints", options.keep_checkpoints, {1, 1000});
  visitor.Int("deepracer_workers", options.deepracer_workers, {0, 10});
  visitor.Int("deepracer_episodes", options.deepracer_episodes, {1, 1000});
}

void VisitFields(TrainOptions& options, FieldVisitor& visitor) {
  visitor.Uint64("seed", options.seed);
  visitor.Group("sim", options.sim);
  visitor.Group("reward", options.reward);
  visitor.Group("ppo", options.ppo);
  visitor.Group("distill", options.distill);
  visitor.Group("net", options.net);
  visitor.Group("run", options.run);
}

bool MayChangeInRun(std::string_view path) {
  if (StartsWith(path, "run.")) {
    return path != "run.track" && path != "run.more_tracks" && path != "run.method";
  }
  constexpr std::array<std::string_view, 6> kOfReward = {
      "reward.max_errors", "reward.log_file",       "reward.workers",
      "reward.timeout_s",  "reward.load_timeout_s", "reward.memory_limit_mb"};
  return std::find(kOfReward.begin(), kOfReward.end(), path) != kOfReward.end();
}

Result<void> Validate(const TrainOptions& options) {
  LAPFORGE_CHECK_OK(ValidateOptions(options));
  if (const auto sim = sim::Validate(options.sim); !sim.ok()) {
    return ErrorOf("sim: ", sim.error().message);
  }
  if (options.net.normalize_observations &&
      !sim::ObservationSpecOf(options.sim.sensors).is_all_float()) {
    return ErrorOf(
        "net.normalize_observations is for numbers, and sim.sensors.kinds has a camera; its images "
        "are scaled by the net");
  }
  const int64_t samples = int64_t{options.ppo.horizon} * options.sim.num_envs;
  if (samples < 2 || samples > kMaxSamples) {
    return ErrorOf("ppo.horizon x sim.num_envs is ", samples, " samples; expected 2 .. ",
                   kMaxSamples);
  }
  if (IsDistilled(options)) LAPFORGE_CHECK_OK(ValidateDistill(options));
  if (options.net.initial_log_std < options.net.min_log_std) {
    return ErrorOf("net.initial_log_std ", options.net.initial_log_std,
                   " is below net.min_log_std ", options.net.min_log_std);
  }
  if (!options.run.until.empty()) {
    if (const Result<Goal> goal = ParseGoal(options.run.until); !goal.ok()) {
      return ErrorOf("run.until: ", goal.error().message);
    }
  }
  return {};
}

bool IsDistilled(const TrainOptions& options) {
  using sim::SensorKind;
  const sim::SensorOptions& sensors = options.sim.sensors;
  if (options.run.method != Method::kAuto) return options.run.method == Method::kDistill;
  return (sensors.Has(SensorKind::kCamera) || sensors.Has(SensorKind::kLidar)) &&
         !sensors.Has(SensorKind::kTrackState);
}

Result<void> MergeTrainOptionsFile(const std::string& path, TrainOptions& options) {
  LAPFORGE_TRY(const std::string text, ReadFile(path));
  return MergeText(text, path, options);
}

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : TrainPresetsFiles()) names.push_back(StemOf(file));
  return names;
}

Result<void> MergePreset(const std::string& name, TrainOptions& options) {
  for (const EmbeddedFile& file : TrainPresetsFiles()) {
    if (StemOf(file) == name) return MergeText(file.text, std::string(file.name), options);
  }
  const std::vector<std::string> names = PresetNames();
  return ErrorOf("there is no preset '", name, "'", DidYouMean(name, names), "; presets are ",
                 Join(names, ", "));
}

}  // namespace lapforge::agents
