#include "tools/cli/deepracer_table.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "sim/base/option_fields.h"

namespace lapforge::cli {
namespace {

// True where another source had the last word about one of the key's options.
bool IsOverridden(const agents::DeepRacerKey& key, const agents::TrainOptions& options) {
  agents::DeepRacerSettings only_this;
  only_this.keys = {key};
  agents::TrainOptions as_in_file = options;
  return !agents::ApplyDeepRacerSettings(only_this, as_in_file).ok() ||
         OptionsToText(as_in_file) != OptionsToText(options);
}

}  // namespace

void PrintDeepRacerTable(const agents::DeepRacerSettings& settings,
                         const agents::TrainOptions& options) {
  if (settings.empty()) return;
  size_t key_width = 0;
  size_t value_width = 0;
  for (const agents::DeepRacerKey& key : settings.keys) {
    key_width = std::max(key_width, key.key.size());
    value_width = std::max(value_width, key.value.size());
  }
  std::printf("From your files:\n");
  for (const agents::DeepRacerKey& key : settings.keys) {
    if (key.became == agents::kIgnoredKey) continue;  // a warning has said so
    const std::string became =
        key.became + (IsOverridden(key, options) ? " (changed by other arguments)" : "");
    std::printf("  %-*s  %-*s  %s\n", static_cast<int>(key_width), key.key.c_str(),
                static_cast<int>(value_width), key.value.c_str(), became.c_str());
  }
  std::printf("\n");
}

}  // namespace lapforge::cli
