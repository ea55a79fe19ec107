#include "reward/workers/post_mortem.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "sim/base/strings.h"

namespace lapforge::reward {
namespace {

constexpr int64_t kTraceNs = 500'000'000;  // for a dying process to write where it was
constexpr size_t kMaxTraceBytes = 65536;

std::string ReadTrace(const FileDescriptor& file) {
  std::string trace(kMaxTraceBytes, '\0');
  const ssize_t size = pread(file.get(), trace.data(), trace.size(), 0);
  trace.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return trace;
}

}  // namespace

FileDescriptor MakeTraceFile() {
  return FileDescriptor(memfd_create("lapforge-trace", MFD_CLOEXEC));
}

// Lines look like `  File "reward.py", line 3 in f`, the innermost first.
UserPlace FindUserPlace(const FileDescriptor& trace_file, const std::string& path,
                        const std::string& source) {
  std::error_code error;
  const std::string folder = std::filesystem::absolute(path, error).parent_path().string() + "/";
  const std::string trace = ReadTrace(trace_file);
  for (const std::string_view entry : Split(trace, '\n')) {
    const size_t name = entry.find("File \"");
    const size_t end = entry.find("\", line ");
    if (name == entry.npos || end == entry.npos) continue;
    const std::string file(entry.substr(name + 6, end - name - 6));
    if (file != path && !StartsWith(file, folder)) continue;
    const auto number = static_cast<size_t>(std::atoi(std::string(entry.substr(end + 8)).c_str()));
    UserPlace found{StrCat(file, ":", number), ""};
    const auto lines = Split(source, '\n');
    if (file == path && number > 0 && number <= lines.size()) {
      found.source_line = StrCat("; the line is: ", Trim(lines[number - 1]));
    }
    return found;
  }
  return {path, ""};
}

// What may have sent the signal, where its name does not say.
static std::string CauseOf(int signal, pid_t pid, const rusage& usage) {
  if (signal != SIGKILL) return "";
  constexpr double kClockErrorS = 0.5;
  const double used_s = double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                        1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  rlimit limit{};
  if (prlimit(pid, RLIMIT_CPU, nullptr, &limit) == 0 &&
      used_s + kClockErrorS > double(limit.rlim_cur)) {
    return StrCat(", at its limit of ", limit.rlim_cur, " s of CPU time (RLIMIT_CPU)");
  }
  return ", by the system for want of memory or by another process";
}

std::string HowItEnded(pid_t pid) {
  siginfo_t info{};
  rusage usage{};
  // the C library's waitid does not give the usage
  while (syscall(SYS_waitid, P_PID, pid, &info, WEXITED | WNOWAIT, &usage) != 0 && errno == EINTR) {
  }
  if (info.si_code == CLD_EXITED) {
    return StrCat("the function ended its process with code ", info.si_status);
  }
  return StrCat("the function's process crashed with signal ", info.si_status, " (",
                strsignal(info.si_status), ")", CauseOf(info.si_status, pid, usage));
}

bool HasEnded(pid_t pid, int64_t within_ns) {
  for (const int64_t start_ns = MonotonicNs();;) {
    siginfo_t info{};
    const int failed = waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if (failed != 0 || info.si_pid == pid) return true;
    if (MonotonicNs() - start_ns > within_ns) return false;
    usleep(1000);
  }
}

// It answers SIGABRT with a traceback, also from native code.
void Abort(pid_t pid) {
  if (!HasEnded(pid, 0)) kill(pid, SIGABRT);
  HasEnded(pid, kTraceNs);
}

}  // namespace lapforge::reward
