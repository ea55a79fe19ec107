#include "reward/user_code.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>

#include "reward/workers/worker_block.h"
#include "sim/base/file_io.h"
#include "sim/base/strings.h"

namespace lapforge::reward {
namespace {

constexpr int64_t kPatienceNs = 2'000'000'000;  // for a process that the system cannot end at once

// Of "12 (a name) S 7 ...": the name may hold anything.
pid_t ParentOf(const std::string& pid) {
  const Result<std::string> stat = ReadFile("/proc/" + pid + "/stat");
  if (!stat.ok()) return -1;
  const size_t name_end = stat->rfind(") ");
  return name_end == stat->npos ? -1 : std::atoi(stat->c_str() + name_end + 4);
}

void KillChildren() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  const dirent* entry = nullptr;
  while (folder && (entry = readdir(folder.get())) != nullptr) {
    const std::string name = entry->d_name;
    if (ParseInt64(name) && ParentOf(name) == getpid()) kill(std::atoi(name.c_str()), SIGKILL);
  }
}

}  // namespace

void AdoptProcesses() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

// The children of one that ends become ours: they are found in the next round.
void EndProcesses() {
  const int64_t start_ns = MonotonicNs();
  while (MonotonicNs() - start_ns < kPatienceNs) {
    const pid_t reaped = waitpid(-1, nullptr, WNOHANG);
    if (reaped < 0 && errno == ECHILD) return;
    if (reaped > 0) continue;
    KillChildren();
    usleep(1000);
  }
}

}  // namespace lapforge::reward
