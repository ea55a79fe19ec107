#include "tools/cli/reward/guard_arguments.h"

#include <CLI/CLI.hpp>

#include "tools/cli/command.h"

namespace lapforge::cli {

void DeclareGuard(CLI::App& app, reward::GuardOptions& options) {
  app.add_option("--timeout", options.timeout_s, "Seconds that all of it may take [600]")
      ->check(CLI::Range(0.1, 1e6));
  app.add_option("--memory-limit", options.memory_limit_mb,
                 "MB of memory that it may take; 0: any [2048]")
      ->check(CLI::Range(0, 1 << 24));
}

int RunGuardedCommand(const reward::GuardOptions& options, const std::function<int()>& work) {
  const Result<int> exit_code = reward::RunGuarded(options, work);
  return exit_code.ok() ? *exit_code : Fail(exit_code.error());
}

}  // namespace lapforge::cli
