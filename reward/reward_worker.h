// A worker process of the Python reward (RewardOptions::workers).
#pragma once

namespace lapforge::reward {

/// True for a program that was started as a worker: its main then returns RunRewardWorker().
bool IsRewardWorker(int argc, char** argv);

/// Serves the process that started this one until that ends, through the descriptors it gave; then
/// returns the exit code. Nothing else may have been opened or started before.
int RunRewardWorker();

}  // namespace lapforge::reward
