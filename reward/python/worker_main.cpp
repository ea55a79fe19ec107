// The worker's side: loads the user's file, then answers requests until the program has gone.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>

#include "reward/python/interpreter.h"
#include "reward/python/python_reward.h"
#include "reward/reward_worker.h"
#include "reward/user_code.h"
#include "reward/workers/process_limits.h"
#include "reward/workers/worker_block.h"
#include "reward/workers/worker_reward.h"
#include "reward/workers/worker_setup.h"
#include "sim/base/log.h"

namespace lapforge::reward {
namespace {

constexpr unsigned kLeaveS = 1;  // for what the user's file left open, once the program has gone

// Keeps nothing that the program had open, and gives nothing on to processes of the user.
void SortDescriptors() {
  close_range(kTraceFd + 1, ~0U, 0);
  for (const int fd : {kSocketFd, kMemoryFd, kTraceFd}) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// Ends this process when the program has gone, whatever the user's code is doing.
void WatchProgram() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([] {
    pollfd program = {kSocketFd, POLLRDHUP, 0};
    while (poll(&program, 1, -1) < 0) {
    }
    sleep(kLeaveS);
    _exit(1);
  }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Ends copies of this process that the user's code made (os.fork) and did not end itself: they
// would answer as well.
void EndIfCopy(pid_t worker) {
  if (getpid() != worker) _exit(0);
}

bool Answer(const Result<void>& loaded) {
  std::string answer(1, loaded.ok() ? '\0' : '\1');
  if (!loaded.ok()) answer += loaded.error().message;
  return SendMessage(kSocketFd, std::as_bytes(std::span(answer)));
}

void Finish(const RewardFailures& failures, size_t first, WorkerBlock& block) {
  for (const RewardFailure& failure : failures.list) {
    WorkerSlot& slot = block.slots[first + failure.index];
    slot.message[failure.message.copy(slot.message, kMaxMessageBytes - 1)] = '\0';
    slot.state = SlotState::kFailed;
  }
}

// One call for each slot, noted before it begins.
void WorkOnEach(PythonReward& reward, WorkerBlock& block) {
  uint64_t num_failed = 0;
  for (int32_t i = block.first; i < block.last && num_failed < block.enough; ++i) {
    WorkerSlot& slot = block.slots[i];
    block.current = i;
    block.call_start_ns = MonotonicNs();
    RewardFailures failures;
    const Result<void> done =
        reward.EvaluateEach(std::span(&slot.facts, 1), std::span(&slot.reward, 1), failures);
    if (!done.ok()) failures.list.assign(1, {0, done.error().message});
    slot.state = SlotState::kDone;
    Finish(failures, size_t(i), block);
    num_failed += failures.list.size();
  }
  block.call_start_ns = 0;
}

void WorkOnBatch(PythonReward& reward, WorkerBlock& block) {
  std::vector<sim::StepFacts> facts;
  for (int32_t i = block.first; i < block.last; ++i) facts.push_back(block.slots[i].facts);
  std::vector<float> rewards(facts.size());
  RewardFailures failures;
  block.call_start_ns = MonotonicNs();
  const Result<void> done = reward.EvaluateEach(facts, rewards, failures);
  block.call_start_ns = 0;
  for (size_t i = 0; i < facts.size(); ++i) {
    WorkerSlot& slot = block.slots[size_t(block.first) + i];
    slot.reward = rewards[i];
    slot.state = SlotState::kDone;
    if (!done.ok()) failures.list.push_back({i, done.error().message});
  }
  Finish(failures, size_t(block.first), block);
}

// Until the program closes its end.
void Serve(PythonReward& reward, WorkerBlock& block) {
  const pid_t worker = getpid();
  char byte = 0;
  while (recv(kSocketFd, &byte, 1, 0) == 1) {
    if (reward.is_batch()) {
      WorkOnBatch(reward, block);
    } else {
      WorkOnEach(reward, block);
    }
    EndIfCopy(worker);
    if (send(kSocketFd, &byte, 1, MSG_NOSIGNAL) != 1) return;
  }
}

Result<std::unique_ptr<PythonReward>> LoadReward(const WorkerSetup& setup) {
  SetCrashTrace(kTraceFd);
  LAPFORGE_CHECK_OK(StartPython());
  LimitMemory(setup.memory_limit_bytes);
  const pid_t worker = getpid();
  auto loaded = PythonReward::Load({setup.path, setup.log_file, setup.mutes_loading, setup.source},
                                   setup.tracks);
  EndIfCopy(worker);
  return loaded;
}

Result<void> Work() {
  LAPFORGE_TRY(const WorkerSetup setup, ReadSetup(ReceiveMessage(kSocketFd)));
  LAPFORGE_TRY(const SharedBlock block, SharedBlock::Open(FileDescriptor(kMemoryFd)));
  SetLogSink([&](LogLevel, std::string_view line) { block->AddPrint(line); });
  const UserTurn turn;  // without an end
  LAPFORGE_TRY(const std::unique_ptr<PythonReward> reward, LoadReward(setup));
  block->is_batch = reward->is_batch();
  if (Answer({})) Serve(*reward, *block.operator->());
  return {};
}

}  // namespace

bool IsRewardWorker(int argc, char** argv) {
  return argc == 2 && std::string_view(argv[1]) == kWorkerArgument;
}

int RunRewardWorker() {
  SortDescriptors();
  WatchProgram();
  const Result<void> done = Work();
  if (!done.ok()) Answer(done);
  // threads that the user left behind end here
  _exit(done.ok() ? 0 : 1);
}

}  // namespace lapforge::reward
