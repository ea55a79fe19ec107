#include "tests/run_folder/io_faults.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

extern "C" {
int __real_open(const char* path, int flags, ...);
ssize_t __real_write(int fd, const void* bytes, size_t size);
int __real_fsync(int fd);
int __real_rename(const char* from, const char* to);
int __real_ftruncate(int fd, off_t size);
int __real_mkdir(const char* path, mode_t mode);
int __real_unlink(const char* path);
}

namespace lapforge::io_faults {
namespace {

constexpr size_t kMaxFiles = 256;
constexpr off_t kAllFlushed = -1;

struct State {
  Fault fault = Fault::kNone;
  int calls_left = 0;
  int num_calls = 0;
  std::array<off_t, kMaxFiles> flushed_bytes;  // by descriptor
};
State state;

// Ends the process as a kill does: nothing more is written, no destructor runs.
[[noreturn]] void Die() {
  for (size_t fd = 0; state.fault == Fault::kPowerCut && fd < kMaxFiles; ++fd) {
    const off_t bytes = state.flushed_bytes[fd];
    if (bytes != kAllFlushed && __real_ftruncate(static_cast<int>(fd), bytes) != 0) _exit(1);
  }
  _exit(kKilledStatus);
}

// True when the call that is being made meets its fault.
bool IsHit() {
  if (state.fault == Fault::kNone) return false;
  ++state.num_calls;
  const int calls_left = state.calls_left--;
  return calls_left == 0 || (calls_left < 0 && state.fault == Fault::kFailOn);
}

bool IsDeadly() { return state.fault == Fault::kKill || state.fault == Fault::kPowerCut; }

// The result of a call that fails, or the end.
int Fail() {
  if (IsDeadly()) Die();
  errno = state.fault == Fault::kFailOn ? ENOSPC : EIO;
  return -1;
}

off_t& FlushedBytes(int fd) { return state.flushed_bytes.at(static_cast<size_t>(fd)); }

}  // namespace

void Arm(Fault fault, int call_index) {
  state = {fault, call_index, 0, {}};
  state.flushed_bytes.fill(kAllFlushed);
}

int Disarm() {
  state.fault = Fault::kNone;
  return state.num_calls;
}

}  // namespace lapforge::io_faults

using namespace lapforge::io_faults;

extern "C" {

int __wrap_open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (IsHit()) return Fail();
  const int fd = __real_open(path, flags, mode);
  if (fd >= 0 && state.fault != Fault::kNone) FlushedBytes(fd) = kAllFlushed;
  return fd;
}

ssize_t __wrap_write(int fd, const void* bytes, size_t size) {
  if (state.fault != Fault::kNone) {
    struct stat status {};
    if (fstat(fd, &status) == 0 && FlushedBytes(fd) == kAllFlushed && S_ISREG(status.st_mode)) {
      FlushedBytes(fd) = status.st_size;
    }
  }
  if (!IsHit()) return __real_write(fd, bytes, size);

  // a fault in the middle of a write has done half of it
  if (__real_write(fd, bytes, size / 2) < 0) _exit(1);
  return Fail();
}

int __wrap_fsync(int fd) {
  if (IsHit()) return Fail();
  if (state.fault != Fault::kNone) FlushedBytes(fd) = kAllFlushed;
  return __real_fsync(fd);
}

int __wrap_rename(const char* from, const char* to) {
  return IsHit() ? Fail() : __real_rename(from, to);
}

int __wrap_ftruncate(int fd, off_t size) { return IsHit() ? Fail() : __real_ftruncate(fd, size); }

int __wrap_mkdir(const char* path, mode_t mode) {
  return IsHit() ? Fail() : __real_mkdir(path, mode);
}

int __wrap_unlink(const char* path) { return IsHit() ? Fail() : __real_unlink(path); }

}  // extern "C"
