// The Python reward in processes of its own, where nothing that it does harms the program.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "reward/reward_function.h"

namespace lapforge::reward {

/// The argument that turns the program into a worker.
inline constexpr const char* kWorkerArgument = "reward-worker";

/// As LoadPythonReward with options.python_file, in options.workers processes (at least one): the
/// env's number modulo theirs says which is its. A batch form sees all envs and has one process.
/// `command` is run for each: its main must be RunRewardWorker.
Result<std::unique_ptr<RewardFunction>> MakeWorkerReward(const RewardOptions& options,
                                                         std::span<const tracks::Track> tracks,
                                                         const std::vector<std::string>& command = {
                                                             "/proc/self/exe", kWorkerArgument});

}  // namespace lapforge::reward
