#include "reward/workers/worker_block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

namespace lapforge::reward {

void WorkerBlock::AddPrint(std::string_view line) {
  const size_t num_free = kMaxPrintBytes - num_print_bytes;
  if (num_free < 2) return;
  const size_t size = std::min(line.size(), num_free - 1);
  std::memcpy(prints + num_print_bytes, line.data(), size);
  prints[num_print_bytes + size] = '\n';
  num_print_bytes += static_cast<uint32_t>(size) + 1;
}

Result<SharedBlock> SharedBlock::Create() {
  FileDescriptor memory(memfd_create("lapforge-reward", MFD_CLOEXEC));
  if (!memory.is_open() || ftruncate(memory.get(), sizeof(WorkerBlock)) != 0) {
    return ErrorOf("cannot share memory with a reward worker: ", std::strerror(errno));
  }
  return Open(std::move(memory));
}

Result<SharedBlock> SharedBlock::Open(FileDescriptor memory) {
  SharedBlock shared;
  void* const address =
      mmap(nullptr, sizeof(WorkerBlock), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (address == MAP_FAILED) {
    return ErrorOf("cannot map the memory of a reward worker: ", std::strerror(errno));
  }
  // all zeros are a valid block: what is made here is never constructed
  shared.block_ = static_cast<WorkerBlock*>(address);
  shared.memory_ = std::move(memory);
  return shared;
}

SharedBlock::~SharedBlock() {
  if (block_ != nullptr) munmap(block_, sizeof(WorkerBlock));
}

SharedBlock::SharedBlock(SharedBlock&& other) noexcept
    : memory_(std::move(other.memory_)), block_(std::exchange(other.block_, nullptr)) {}

SharedBlock& SharedBlock::operator=(SharedBlock&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(block_, other.block_);
  return *this;
}

int64_t MonotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace lapforge::reward
