#include "reward/workers/worker_reward.h"

#include <poll.h>

#include <algorithm>
#include <set>
#include <utility>

#include "reward/workers/interruption.h"
#include "reward/workers/worker_process.h"
#include "sim/base/assert.h"
#include "sim/base/log.h"
#include "sim/base/strings.h"

namespace lapforge::reward {
namespace {

constexpr int kPollMs = 100;          // looks at clocks and at the wish to stop
constexpr int kMaxPrintedLines = 20;  // as in support.py, of all workers together
constexpr size_t kMaxTold = 20;       // different losses
constexpr size_t kMaxSourceBytes = size_t{16} << 20;

// One worker's memory, its process while there is one, and what it is doing.
struct Worker {
  SharedBlock block;
  WorkerSetup setup;
  std::unique_ptr<WorkerProcess> process;
  std::vector<size_t> indices;  // of the facts in its slots
  bool is_busy = false;
};

// Facts -> slots of the workers -> their processes -> rewards. A process that is late or gone
// costs the env whose call it was a failure; its other envs go on in a new process.
class WorkerReward : public RewardFunction {
 public:
  WorkerReward(const RewardOptions& options, std::vector<std::string> command)
      : options_(options), command_(std::move(command)) {}

  Result<void> AddWorker(WorkerSetup setup) {
    LAPFORGE_TRY(SharedBlock block, SharedBlock::Create());
    workers_.push_back({std::move(block), std::move(setup), nullptr, {}, false});
    const Result<void> started = StartProcess(workers_.back());
    LogPrints(workers_.back());
    return started;
  }
  bool is_batch() const { return workers_.front().block->is_batch; }

  Result<void> Evaluate(std::span<const sim::StepFacts> facts, std::span<float> rewards) override {
    RewardFailures failures;
    LAPFORGE_CHECK_OK(EvaluateEach(facts, rewards, failures));
    if (!failures.list.empty()) return Error{failures.list.front().message};
    return {};
  }

  Result<void> EvaluateEach(std::span<const sim::StepFacts> facts, std::span<float> rewards,
                            RewardFailures& failures) override {
    LAPFORGE_ASSERT(rewards.size() == facts.size(), "one reward for each env");
    LAPFORGE_ASSERT(facts.size() <= kMaxSlots, "more envs than a simulator has");
    workers_interrupted = false;
    Distribute(facts);
    std::fill(rewards.begin(), rewards.end(), 0.0F);
    for (Worker& worker : workers_) {
      if (!worker.indices.empty()) LAPFORGE_CHECK_OK(Begin(worker, 0, failures));
    }
    while (IsAnyBusy()) {
      WaitForAny();
      for (Worker& worker : workers_) {
        if (worker.is_busy) LAPFORGE_CHECK_OK(Look(worker, failures));
      }
      if (workers_interrupted) return Stop();
    }
    for (Worker& worker : workers_) Collect(worker, rewards, failures);
    std::sort(failures.list.begin(), failures.list.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
    return {};
  }

 private:
  Result<void> StartProcess(Worker& worker) {
    LAPFORGE_TRY(worker.process, WorkerProcess::Start(command_, worker.setup, worker.block,
                                                      options_.load_timeout_s));
    return {};
  }

  void Distribute(std::span<const sim::StepFacts> facts) {
    for (Worker& worker : workers_) {
      worker.indices.clear();
      if (std::exchange(worker.is_busy, false)) worker.process.reset();  // after an error
    }
    for (size_t i = 0; i < facts.size(); ++i) {
      Worker& worker = workers_[static_cast<size_t>(facts[i].env_index) % workers_.size()];
      WorkerSlot& slot = worker.block->slots[worker.indices.size()];
      slot.facts = facts[i];
      slot.state = SlotState::kOpen;
      worker.indices.push_back(i);
    }
  }

  // Lets it work on its slots from `first` on.
  Result<void> Begin(Worker& worker, int first, const RewardFailures& failures) {
    if (!worker.process) LAPFORGE_CHECK_OK(StartProcess(worker));
    worker.block->first = first;
    worker.block->last = static_cast<int32_t>(worker.indices.size());
    worker.block->enough = failures.enough;
    worker.block->current = first;
    worker.block->call_start_ns = 0;
    worker.is_busy = true;
    worker.process->Ask();  // where it has gone, the first look sees it
    return {};
  }

  bool IsAnyBusy() const {
    return std::any_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.is_busy; });
  }

  void WaitForAny() {
    std::vector<pollfd> sockets;
    for (const Worker& worker : workers_) {
      if (worker.is_busy) sockets.push_back({worker.process->socket(), POLLIN, 0});
    }
    poll(sockets.data(), sockets.size(), kPollMs);
  }

  // Whether it has answered, gone, or is late.
  Result<void> Look(Worker& worker, RewardFailures& failures) {
    pollfd socket = {worker.process->socket(), POLLIN, 0};
    if (poll(&socket, 1, 0) > 0) {
      if (!worker.process->TakeAnswer()) return Lose(worker, LossCause::kItself, "", failures);
      worker.is_busy = false;
      return {};
    }
    const int64_t start_ns = worker.block->call_start_ns;
    if (start_ns == 0 || double(MonotonicNs() - start_ns) < 1e9 * options_.timeout_s) return {};
    const std::string what =
        StrCat("a call took more than ", options_.timeout_s, " s (reward.timeout_s)");
    return Lose(worker, LossCause::kTimeout, what, failures);
  }

  // The call in progress has failed; what comes after it goes to a new process.
  Result<void> Lose(Worker& worker, LossCause cause, const std::string& what,
                    RewardFailures& failures) {
    const std::string message = worker.process->EndAndDescribe(cause, what) +
                                "; globals of its cars are lost: they start in a new process";
    Tell(message);
    worker.process.reset();
    worker.is_busy = false;
    const int first = worker.block->current;
    const int last = worker.block->is_batch ? worker.block->last : first + 1;
    for (int i = first; i < last; ++i) {
      WorkerSlot& slot = worker.block->slots[i];
      slot.state = SlotState::kLost;
      slot.message[message.copy(slot.message, kMaxMessageBytes - 1)] = '\0';
    }
    num_lost_ += static_cast<size_t>(last - first);
    if (last == worker.block->last || num_lost_ >= failures.enough) return {};
    return Begin(worker, last, failures);
  }

  // At once: the calls of the other cars may be as slow.
  void Tell(const std::string& message) {
    if (told_.size() < kMaxTold && told_.insert(message).second) LogWarning(message);
  }

  // What was done, into the places of the caller.
  void Collect(Worker& worker, std::span<float> rewards, RewardFailures& failures) {
    for (size_t i = 0; i < worker.indices.size(); ++i) {
      const WorkerSlot& slot = worker.block->slots[i];
      if (slot.state == SlotState::kDone) rewards[worker.indices[i]] = slot.reward;
      if (slot.state == SlotState::kFailed || slot.state == SlotState::kLost) {
        failures.list.push_back({worker.indices[i], slot.message, slot.state == SlotState::kLost});
      }
    }
    num_lost_ = 0;
    LogPrints(worker);
  }

  Result<void> Stop() {
    std::string message;
    for (Worker& worker : workers_) {
      if (!worker.is_busy) continue;
      message = worker.process->EndAndDescribe(LossCause::kStop,
                                               "still running when a stop was asked for");
      worker.process.reset();
      worker.is_busy = false;
    }
    if (message.empty()) return {};
    return Error{message};
  }

  void LogPrints(Worker& worker) {
    const std::string_view prints(worker.block->prints, worker.block->num_print_bytes);
    for (const std::string_view line : Split(prints, '\n')) {
      if (line.empty() || num_printed_ > kMaxPrintedLines) continue;
      if (num_printed_++ < kMaxPrintedLines) {
        LogInfo(line);
      } else {
        LogInfo("reward: further lines are not shown (only the first ", kMaxPrintedLines, ")");
      }
    }
    worker.block->num_print_bytes = 0;
  }

  const RewardOptions options_;
  const std::vector<std::string> command_;
  std::vector<Worker> workers_;
  std::set<std::string> told_;
  size_t num_lost_ = 0;  // calls of this step that ended their process
  int num_printed_ = 0;
};

}  // namespace

Result<std::unique_ptr<RewardFunction>> MakeWorkerReward(const RewardOptions& options,
                                                         std::span<const tracks::Track> tracks,
                                                         const std::vector<std::string>& command) {
  WorkerSetup setup;
  setup.path = options.python_file;
  LAPFORGE_TRY(setup.source, ReadFile(options.python_file, kMaxSourceBytes));
  if (!options.log_file.empty()) LAPFORGE_CHECK_OK(AppendFile::Open(options.log_file));
  setup.log_file = options.log_file;
  setup.memory_limit_bytes = int64_t{options.memory_limit_mb} << 20;
  setup.tracks.assign(tracks.begin(), tracks.end());

  workers_interrupted = false;
  auto reward = std::make_unique<WorkerReward>(options, command);
  for (int i = 0; i < std::max(1, options.workers); ++i) {
    setup.mutes_loading = i > 0;  // all would say the same
    LAPFORGE_CHECK_OK(reward->AddWorker(setup));
    if (reward->is_batch()) break;
  }
  return std::unique_ptr<RewardFunction>(std::move(reward));
}

}  // namespace lapforge::reward
