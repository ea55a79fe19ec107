// lapforge reward keys: what a reward function is given.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "reward/reward_keys.h"
#include "tools/cli/command.h"
#include "tools/cli/reward/reward_commands.h"

namespace lapforge::cli {
namespace {

void PrintTable() {
  const auto print = [](bool is_extra) {
    for (const reward::RewardKey& key : reward::RewardKeys()) {
      if (key.is_extra != is_extra) continue;
      std::printf("  %-28s %-15s %-10s %s\n", key.name, key.type, key.unit, key.meaning);
    }
  };
  std::printf("The params of reward_function(params), as DeepRacer has them:\n");
  print(false);
  std::printf("\nExtra ones, for files that name one of them in quotes:\n");
  print(true);
}

nlohmann::json TableAsJson() {
  nlohmann::json keys = nlohmann::json::array();
  for (const reward::RewardKey& key : reward::RewardKeys()) {
    keys.push_back({{"name", key.name},
                    {"type", key.type},
                    {"unit", key.unit},
                    {"meaning", key.meaning},
                    {"is_extra", key.is_extra}});
  }
  return keys;
}

}  // namespace

int RunRewardKeysCommand(int argc, char** argv) {
  CLI::App app("Lists the keys of the params that a reward function gets.", "reward keys");
  bool is_markdown = false;
  bool is_json = false;
  app.add_flag("--markdown", is_markdown, "Print the table of docs/rewards.md");
  app.add_flag("--json", is_json, "Print JSON");
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  if (is_json) {
    PrintJson(TableAsJson());
  } else if (is_markdown) {
    std::printf("%s", reward::RewardKeysMarkdown().c_str());
  } else {
    PrintTable();
  }
  return kOk;
}

}  // namespace lapforge::cli
