// DeepRacer's model_metadata.json and hyperparameters.json as choices of a run
// (spec/deepracer.md sections 2 and 3; docs/deepracer.md says what becomes of each key).
#pragma once

#include <string>
#include <vector>

#include "agents/train_options.h"
#include "sim/base/result.h"

namespace lapforge::agents {

// An option and its value as `--set` takes them.
struct OptionSetting {
  std::string path;
  std::string text;
};

// What a key became that means nothing here; a warning says why.
inline constexpr char kIgnoredKey[] = "ignored";

// One key of a file and what it means here.
struct DeepRacerKey {
  std::string file;    // without folders
  std::string key;     // of the outermost object
  std::string value;   // as written, cut to a few words
  std::string became;  // for people: what was set
  std::vector<OptionSetting> settings;
};

// What both files say, in their order, and what their writer should know: one line each, with file
// and key.
struct DeepRacerSettings {
  std::vector<DeepRacerKey> keys;
  std::vector<std::string> warnings;

  bool empty() const { return keys.empty(); }
};

// Paths; empty: no such file.
struct DeepRacerPaths {
  std::string metadata;
  std::string hyperparameters;
};

// Reads both. Unknown and ignored keys are warnings; what DeepRacer itself refuses, or cannot be
// done here, is an error of one line with file and key, or file and line where it is no JSON.
Result<DeepRacerSettings> ReadDeepRacerFiles(const DeepRacerPaths& paths);

// Sets what the files say over `options`. Errors name file and key.
Result<void> ApplyDeepRacerSettings(const DeepRacerSettings& settings, TrainOptions& options);

}  // namespace lapforge::agents
