// What can be said of a process that ran a user's file and is over.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "reward/workers/worker_block.h"
#include "sim/base/file_io.h"

namespace lapforge::reward {

/// A file for the traceback of a process that dies. Fails only where the system has no memory.
FileDescriptor MakeTraceFile();

/// Where in a user's file a process was when it died.
struct UserPlace {
  std::string place;        // "reward.py:3"; without a line where that is not known
  std::string source_line;  // "; the line is: while True: pass", or ""
};

/// The innermost line of a traceback that is the user's: of the file `path`, whose text is
/// `source`, or of one beside it.
UserPlace FindUserPlace(const FileDescriptor& trace, const std::string& path,
                        const std::string& source);

/// "the function's process crashed with signal 11 (Segmentation fault)", of a child that is not
/// reaped yet, and ends.
std::string HowItEnded(pid_t pid);

/// True where the child is over, though not yet reaped, within that time.
bool HasEnded(pid_t pid, int64_t within_ns);

/// Makes a child that hangs write its traceback and die, or finds that it is dying; reaping it is
/// left to the caller.
void Abort(pid_t pid);

}  // namespace lapforge::reward
