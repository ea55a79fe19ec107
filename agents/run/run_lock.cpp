#include "agents/run/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "sim/base/strings.h"

namespace lapforge::agents {

Result<RunLock> RunLock::Take(const std::filesystem::path& path) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) {
    return ErrorOf("cannot write '", path, "': ", std::generic_category().message(errno));
  }
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    const Result<std::string> holder = ReadFile(path);
    const std::string_view pid_text = holder.ok() ? Trim(*holder) : "";
    return ErrorOf("the run '", path.parent_path(), "' is in use by process ",
                   pid_text.empty() ? "(unknown)" : pid_text, "; wait for it or stop it");
  }

  // for the message above only: a failure here is not one of the lock
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(file.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t written = pwrite(file.get(), pid.data(), pid.size(), 0);
  }
  return RunLock(std::move(file));
}

}  // namespace lapforge::agents
