#include "agents/deepracer/deepracer_files.h"

#include "agents/deepracer/files/file_readers.h"
#include "sim/base/option_fields.h"

namespace lapforge::agents {

Result<DeepRacerSettings> ReadDeepRacerFiles(const DeepRacerPaths& paths) {
  DeepRacerSettings settings;
  int max_rollout_steps = kMaxRolloutSteps;
  if (!paths.metadata.empty()) {
    LAPFORGE_TRY(max_rollout_steps, ReadModelMetadata(paths.metadata, settings));
  }
  if (!paths.hyperparameters.empty()) {
    LAPFORGE_CHECK_OK(ReadHyperparameters(paths.hyperparameters, max_rollout_steps, settings));
  }
  return settings;
}

Result<void> ApplyDeepRacerSettings(const DeepRacerSettings& settings, TrainOptions& options) {
  for (const DeepRacerKey& key : settings.keys) {
    for (const OptionSetting& setting : key.settings) {
      const Result<void> set = SetOption(options, setting.path, setting.text);
      if (!set.ok()) return ErrorOf(key.file, ": ", key.key, ": ", set.error().message);
    }
  }
  return {};
}

}  // namespace lapforge::agents
