// The memory that the program shares with one worker process: facts in, rewards out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "sim/base/file_io.h"
#include "sim/base/result.h"
#include "sim/step_facts.h"

namespace lapforge::reward {

inline constexpr int kMaxSlots = 65536;           // steps of one request
inline constexpr size_t kMaxMessageBytes = 1024;  // of one failure, longer ones are cut
inline constexpr size_t kMaxPrintBytes = 16384;

static_assert(std::is_trivially_copyable_v<sim::StepFacts>);
static_assert(std::atomic<int64_t>::is_always_lock_free);

/// What a worker has made of one step.
enum class SlotState : uint8_t {
  kOpen,
  kDone,
  kFailed,
  kLost,  // with the worker; set by the program
};

/// One step and its reward.
struct WorkerSlot {
  sim::StepFacts facts;
  float reward = 0;
  SlotState state = SlotState::kOpen;
  char message[kMaxMessageBytes];  // of kFailed and kLost, ends with a zero
};

/// Lies at the start of a shared memory. The program writes a request, sends a byte over the
/// socket, and touches nothing but the atomics until the worker has answered with a byte or ended.
struct WorkerBlock {
  // the request: slots [first, last), until so many have failed
  int32_t first = 0;
  int32_t last = 0;
  uint64_t enough = 0;

  // the call in progress
  std::atomic<int32_t> current = 0;        // its slot; of a batch: the first
  std::atomic<int64_t> call_start_ns = 0;  // on the monotonic clock; 0: none
  std::atomic<bool> is_batch = false;      // one call sees all slots

  // lines that the user's file printed, each with its newline, since the program last looked
  uint32_t num_print_bytes = 0;
  char prints[kMaxPrintBytes];

  WorkerSlot slots[kMaxSlots];

  void AddPrint(std::string_view line);
};

/// A shared memory of the system with a block in it; unmapped when destroyed.
class SharedBlock {
 public:
  static Result<SharedBlock> Create();
  /// Maps what another process made; takes the descriptor.
  static Result<SharedBlock> Open(FileDescriptor memory);
  ~SharedBlock();
  SharedBlock(SharedBlock&& other) noexcept;
  SharedBlock& operator=(SharedBlock&& other) noexcept;

  WorkerBlock* operator->() const { return block_; }
  int fd() const { return memory_.get(); }

 private:
  SharedBlock() = default;

  FileDescriptor memory_;
  WorkerBlock* block_ = nullptr;
};

/// Nanoseconds on the clock of WorkerBlock::call_start_ns.
int64_t MonotonicNs();

}  // namespace lapforge::reward
