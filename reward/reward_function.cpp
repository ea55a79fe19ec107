#include "reward/reward_function.h"

#include "reward/python/python_reward.h"
#include "reward/terms/native_reward.h"
#include "reward/workers/worker_reward.h"

namespace lapforge::reward {

static void VisitFields(NativeRewardOptions& options, FieldVisitor& visitor) {
  visitor.Double("scale", options.scale, {0, 1e3});
  visitor.Double("progress_per_m", options.progress_per_m, {0, 1e3});
  visitor.Double("off_track_penalty", options.off_track_penalty, {0, 1e3});
  visitor.Double("smoothness", options.smoothness, {0, 1e3});
  visitor.Double("center", options.center, {0, 1e3});
  visitor.Double("speed_per_mps", options.speed_per_mps, {0, 1e3});
  visitor.Double("heading", options.heading, {0, 1e3});
  visitor.Double("termination_penalty", options.termination_penalty, {0, 1e3});
  visitor.Double("lap_bonus", options.lap_bonus, {0, 1e3});
  visitor.Double("raceline", options.raceline, {0, 1e3});
  visitor.String("raceline_file", options.raceline_file);
}

void VisitFields(RewardOptions& options, FieldVisitor& visitor) {
  visitor.String("python_file", options.python_file);
  visitor.String("plugin_file", options.plugin_file);
  visitor.Group("native", options.native);
  visitor.Int("max_errors", options.max_errors, {1, 1000000000});
  visitor.Int("workers", options.workers, {0, 256});
  visitor.Double("timeout_s", options.timeout_s, {0.1, 1e6});
  visitor.Double("load_timeout_s", options.load_timeout_s, {0.1, 1e6});
  visitor.Int("memory_limit_mb", options.memory_limit_mb, {0, 1 << 24});
  visitor.String("log_file", options.log_file);
}

Result<void> RewardFunction::EvaluateEach(std::span<const sim::StepFacts> facts,
                                          std::span<float> rewards, RewardFailures&) {
  return Evaluate(facts, rewards);
}

static Result<std::unique_ptr<RewardFunction>> LoadNativeReward(
    const NativeRewardOptions& options, std::span<const tracks::Track> tracks) {
  std::vector<LineOffsets> lines;
  if (options.raceline > 0 && options.raceline_file.empty()) {
    return ErrorOf(
        "reward.native.raceline needs reward.native.raceline_file, a CSV file of 'track "
        "raceline'");
  }
  for (const tracks::Track& view : tracks) {
    if (options.raceline == 0) break;
    LAPFORGE_TRY(LineOffsets line, LineOffsets::Load(options.raceline_file, view));
    lines.push_back(std::move(line));
  }
  return MakeNativeReward(options, std::move(lines));
}

Result<std::unique_ptr<RewardFunction>> MakeReward(const RewardOptions& options,
                                                   std::span<const tracks::Track> tracks) {
  if (!options.python_file.empty() && !options.plugin_file.empty()) {
    return ErrorOf("reward.python_file and reward.plugin_file are both set; expected one of them");
  }
  if (!options.plugin_file.empty()) return LoadPluginReward(options.plugin_file, tracks);
  if (options.python_file.empty()) return LoadNativeReward(options.native, tracks);
  if (options.workers > 0) return MakeWorkerReward(options, tracks);
  LAPFORGE_TRY(std::unique_ptr<PythonReward> reward,
               PythonReward::Load({options.python_file, options.log_file}, tracks));
  return std::unique_ptr<RewardFunction>(std::move(reward));
}

}  // namespace lapforge::reward
