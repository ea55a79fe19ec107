// The worker processes of worker_reward_test: a program that is nothing else.
#include "reward/reward_worker.h"

int main() { return lapforge::reward::RunRewardWorker(); }
