// The limits of commands that run a user's reward, and the running.
#pragma once

#include <functional>

#include "reward/guarded_run.h"

namespace CLI {
class App;
}

namespace lapforge::cli {

// --timeout and --memory-limit.
void DeclareGuard(CLI::App& app, reward::GuardOptions& options);

// reward::RunGuarded, its error said as Fail does; an exit code.
int RunGuardedCommand(const reward::GuardOptions& options, const std::function<int()>& work);

}  // namespace lapforge::cli
