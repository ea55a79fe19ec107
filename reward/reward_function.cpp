#include "reward/reward_function.h"

namespace lapforge::reward {

static void VisitFields(NativeRewardOptions& options, FieldVisitor& visitor) {
  visitor.Double("scale", options.scale, {0, 1e3});
  visitor.Double("progress_per_m", options.progress_per_m, {0, 1e3});
  visitor.Double("off_track_penalty", options.off_track_penalty, {0, 1e3});
  visitor.Double("smoothness", options.smoothness, {0, 1e3});
  visitor.Double("center", options.center, {0, 1e3});
  visitor.Double("speed_per_mps", options.speed_per_mps, {0, 1e3});
}

void VisitFields(RewardOptions& options, FieldVisitor& visitor) {
  visitor.String("python_file", options.python_file);
  visitor.Group("native", options.native);
}

Result<std::unique_ptr<RewardFunction>> MakeReward(const RewardOptions& options,
                                                   std::span<const tracks::Track> tracks) {
  if (options.python_file.empty()) return MakeNativeReward(options.native);
  return LoadPythonReward(options.python_file, tracks);
}

}  // namespace lapforge::reward
