#include "reward/plugin/library_trial.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "sim/base/strings.h"

namespace lapforge::reward {
namespace {

constexpr unsigned kMostS = 30;  // to load, with all that it needs

// What the process does: in silence, without leaving a core, and not for ever.
[[noreturn]] void LoadAndEnd(const std::string& file) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    std::signal(signal, SIG_DFL);
  }
  alarm(kMostS);
  dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  _exit(0);
}

}  // namespace

Result<void> TryLibrary(const std::string& path, const std::string& file) {
  const pid_t pid = fork();
  if (pid < 0) return ErrorOf("cannot start a process to load ", path, ": ", std::strerror(errno));
  if (pid == 0) LoadAndEnd(file);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFEXITED(status)) return ErrorOf(path, " ends the program that loads it; compile it again");
  const int signal = WTERMSIG(status);
  if (signal == SIGALRM) return ErrorOf(path, " takes more than ", kMostS, " s to load");
  return ErrorOf(path, " is damaged: loading it crashes with signal ", signal, " (",
                 strsignal(signal), "); compile it again");
}

}  // namespace lapforge::reward
