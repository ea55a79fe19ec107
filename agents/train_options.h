// Every choice a training run depends on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reward/reward_function.h"
#include "sim/base/option_fields.h"
#include "sim/base/result.h"
#include "sim/sim_options.h"

namespace lapforge::agents {

inline constexpr int64_t kMaxEnvSteps = 1'000'000'000'000;  // of any budget

enum class LearningRateSchedule { kLinear, kConstant };
enum class ValueLoss { kSquared, kHuber };

// Clipped PPO (Schulman et al. 2017, arXiv:1707.06347); defaults from spec/learning.md section 4.
struct PpoOptions {
  int horizon = 64;             // control steps per env in a rollout
  int minibatch_size = 512;     // samples per gradient step; the last may be smaller
  int num_epochs = 5;           // passes over a rollout
  double learning_rate = 1e-3;  // Adam, beta 0.9 and 0.999
  double adam_epsilon = 1e-5;
  LearningRateSchedule schedule = LearningRateSchedule::kLinear;
  double final_learning_rate_frac = 0.05;  // kLinear: reached at run.total_env_steps
  double discount = 0.95;                  // gamma
  double gae_lambda = 0.95;                // Schulman et al. 2015, arXiv:1506.02438
  double clip_range = 0.2;
  double entropy_coef = 0;
  ValueLoss value_loss = ValueLoss::kSquared;
  double value_clip_range = 0;  // 0: no clipping of the value
  double value_coef = 0.5;      // of the value loss beside the policy's, where both share a trunk
  int critic_warm_up_iterations = 0;  // the first ones teach the critic only: for an actor that
                                      // has learned elsewhere; without meaning for a shared trunk
  double max_policy_grad_norm = 0.5;  // and of all, where both share a trunk
  double max_value_grad_norm = 1.0;
  bool normalize_advantages = true;  // per minibatch
  bool normalize_returns = false;    // rewards over the running deviation of discounted returns
  double target_kl = 0;  // above twice this the learning rate falls by 1.5, below half it rises;
                         // 0: as scheduled
};

// Teacher to student (DAgger: Ross et al. 2011, arXiv:1011.0686); defaults from spec/learning.md
// section 5. A teacher that may see the track state learns by PPO; then the policy, which sees its
// own sensors only, drives and imitates what the teacher would have done. At last, where
// then_ppo_env_steps says so, the policy itself learns by PPO.
struct DistillOptions {
  int64_t teacher_env_steps = 100000;      // the teacher learns for this many
  int64_t teacher_max_env_steps = 400000;  // and, until its evaluation laps are clean, up to these
  int horizon = 16;                        // control steps per env in a round
  int num_minibatches = 16;                // gradient steps in a round
  int minibatch_size = 64;                 // frames per gradient step
  int64_t ring_frames = 60000;             // newest frames to learn from, in whole rounds
  double learning_rate = 1e-3;             // Adam
  double final_learning_rate_frac = 1;     // reached, linearly, at run.total_env_steps
  double adam_epsilon = 1e-8;
  int teacher_off_track_wheels = 4;  // outside end the teacher's episodes; fewer: it leaves room
  int teacher_drives_steps = 16;     // of each episode, before the student takes over
  int max_steps = 300;               // of an episode; then the car starts anew somewhere
  int64_t evaluate_every_env_steps = 4096;
  // The last of run.total_env_steps are PPO's, up to three quarters of what the teacher left, and
  // more where the student is clean and no longer gets faster (run.patience_evaluations); 0: none.
  int64_t then_ppo_env_steps = 0;
  double then_ppo_learning_rate = 3e-4;  // instead of ppo.learning_rate, and on its schedule
  double then_ppo_initial_log_std = -2;  // instead of net.initial_log_std: it can drive already
  int then_ppo_warm_up_iterations = 3;   // instead of ppo.critic_warm_up_iterations
};

// Which net the actor is. Auto: mlp without a camera, else the own net for its size. Nano (64x48),
// slim80 (80x60) and slim160 (160x120) are ours, for cars and microcontrollers; the last three are
// DeepRacer's DEEP_CONVOLUTIONAL_NETWORK_SHALLOW, _NETWORK and _NETWORK_DEEP. Images of other sizes
// do as well.
enum class NetKind {
  kAuto,
  kMlp,
  kNano,
  kSlim80,
  kSlim160,
  kDeepracerShallow,
  kDeepracer,
  kDeepracerDeep,
};

// Arithmetic of nets for images; parameters, gradients and Adam are float32 always. Auto: bfloat16
// on processors that compute with it (avx512_bf16).
enum class NetPrecision { kFloat32, kBfloat16, kAuto };

// "nano" for kNano, as options and files write it.
std::string_view NetKindName(NetKind kind);
std::optional<NetKind> NetKindFromName(std::string_view name);
// Where PPO learns: on an NVIDIA GPU, rollouts, nets and Adam live there. A student's net for
// images is computed there, batch by batch. The twin is the code of `cuda` on the CPU, for tests.
enum class NetDevice { kCpu, kCuda, kCudaTwin };

struct NetOptions {
  NetKind kind = NetKind::kAuto;
  NetDevice device = NetDevice::kCpu;
  bool cuda_eyes = true;    // cuda, PPO: cameras and lidars are drawn there, too
  bool cuda_graphs = true;  // cuda: play acting and learning back as CUDA graphs, where that works
  NetPrecision precision = NetPrecision::kFloat32;
  bool critic_sees_state = true;  // while a policy with camera or lidar learns, its critic sees the
                                  // track state instead, which needs no such sensor
  bool shared_trunk = true;  // where policy and value see the same through a net for images, they
                             // share all layers but the last
  std::vector<int64_t> hidden_units = {64, 64};  // tanh layers of an mlp, and of the critic
  double initial_log_std = -0.5;                 // continuous actions
  double min_log_std = -3;
  double last_layer_gain = 0.01;        // orthogonal init of the policy head
  bool normalize_observations = false;  // running mean and variance; the state sensor is scaled
};

// How a policy learns. Auto: distill where it sees by camera or lidar and not the track state, else
// ppo.
enum class Method { kAuto, kPpo, kDistill };

// When to look, when to save, when to stop.
struct RunOptions {
  Method method = Method::kAuto;
  std::string track = "";                // built-in name or file; empty: the first built-in track
  std::vector<std::string> more_tracks;  // learned at the same time: cars are dealt out over all
  int64_t total_env_steps = 600000;      // the learning rate falls towards this
  double max_time_s = 0;                 // stop after this much training time; 0: no limit
  int64_t evaluate_every_env_steps = 16384;
  int evaluation_laps = 3;        // from standing starts spread over the lap
  int patience_evaluations = 12;  // stop after this many without a faster clean set; 0: never
  std::string until = "";         // stop at a goal: "clean>=100 and lap_time<=4.6 for 3 evals"
  double min_improvement_frac = 0.002;  // what counts as faster
  int checkpoint_every_iterations = 50;
  int keep_checkpoints = 3;
  // The folder deepracer/ of a run, for tools of the DeepRacer world: traces and metrics of the
  // first `deepracer_workers` envs, as so many workers, each with this many episodes a file.
  int deepracer_workers = 0;  // 0: no such folder; at most 10
  int deepracer_episodes = 20;
};

struct TrainOptions {
  uint64_t seed = 1;  // nets, actions, minibatches and (copied) the simulator
  sim::SimOptions sim;
  reward::RewardOptions reward;
  PpoOptions ppo;
  DistillOptions distill;
  NetOptions net;
  RunOptions run;
};

void VisitFields(TrainOptions& options, FieldVisitor& visitor);
Result<void> Validate(const TrainOptions& options);

// The method that `auto` means, for valid options.
bool IsDistilled(const TrainOptions& options);
// True for the path of an option ("run.max_time_s") that may change while a run goes on, because
// it decides none of the bits that the run computes: only when it looks, saves and stops.
bool MayChangeInRun(std::string_view path);

// Full name of the protobuf message that options files follow.
std::string TrainOptionsSchema();

// Reads fields present in a `.textproto` file over `options`; after an error nothing has changed.
Result<void> MergeTrainOptionsFile(const std::string& path, TrainOptions& options);

// Options for a purpose, as files that are built in (agents/presets).
std::vector<std::string> PresetNames();
Result<void> MergePreset(const std::string& name, TrainOptions& options);

}  // namespace lapforge::agents
