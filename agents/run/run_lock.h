// One writer a run: a lock that ends with its process, however that ends.
#pragma once

#include <filesystem>

#include "sim/base/file_io.h"
#include "sim/base/result.h"

namespace lapforge::agents {

// Held until destroyed. The file stays; only the kernel's lock on it counts.
class RunLock {
 public:
  /// Takes the lock that is the file `path`, in the folder it guards. Does not wait; the error
  /// names the process that holds it.
  static Result<RunLock> Take(const std::filesystem::path& path);

 private:
  explicit RunLock(FileDescriptor file) : file_(std::move(file)) {}

  FileDescriptor file_;
};

}  // namespace lapforge::agents
