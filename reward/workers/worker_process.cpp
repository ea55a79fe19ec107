#include "reward/workers/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "reward/workers/interruption.h"
#include "sim/base/strings.h"

namespace lapforge::reward {
namespace {

constexpr int64_t kMaxLoadNs = 60'000'000'000;  // imports of large packages from a cold disk
constexpr int64_t kTraceNs = 500'000'000;       // for a dying worker to write where it was
constexpr int64_t kLeaveNs = 2'000'000'000;     // for files that the user left open
constexpr int kPollMs = 100;
constexpr int kFirstFreeFd = 10;  // above those that a worker is born with

Error SystemError(const char* what) {
  return Error{StrCat("cannot ", what, " a reward worker: ", std::strerror(errno))};
}

FileDescriptor Above(FileDescriptor file) {
  return FileDescriptor(fcntl(file.get(), F_DUPFD_CLOEXEC, kFirstFreeFd));
}

// How a process is born: its descriptors, its own group, signals as new.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void Give(int fd, int as) { posix_spawn_file_actions_adddup2(&files_, fd, as); }

  // 0 or an error number.
  int Run(const std::vector<std::string>& command, pid_t* pid) const {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    return posix_spawn(pid, command.front().c_str(), &files_, &attributes_, arguments.data(),
                       environ);
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

std::string HowItEnded(int status) {
  if (WIFEXITED(status)) {
    return StrCat("the function ended its process with code ", WEXITSTATUS(status));
  }
  const int signal = WTERMSIG(status);
  const char* const hint = signal == SIGKILL ? ", perhaps for want of memory" : "";
  return StrCat("the function's process crashed with signal ", signal, " (", strsignal(signal), ")",
                hint);
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(const std::vector<std::string>& command,
                                                            const WorkerSetup& setup,
                                                            const SharedBlock& block) {
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess(setup));
  LAPFORGE_CHECK_OK(worker->Spawn(command, block));
  LAPFORGE_CHECK_OK(worker->WaitForLoad(setup));
  return worker;
}

Result<void> WorkerProcess::Spawn(const std::vector<std::string>& command,
                                  const SharedBlock& block) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return SystemError("make the socket of");
  }
  socket_ = FileDescriptor(ends[0]);
  const FileDescriptor their_socket = Above(FileDescriptor(ends[1]));
  trace_ = Above(FileDescriptor(memfd_create("lapforge-trace", MFD_CLOEXEC)));
  const FileDescriptor memory(fcntl(block.fd(), F_DUPFD_CLOEXEC, kFirstFreeFd));
  if (!their_socket.is_open() || !trace_.is_open() || !memory.is_open()) {
    return SystemError("make the files of");
  }

  SpawnPlan plan;
  plan.Give(their_socket.get(), kSocketFd);
  plan.Give(memory.get(), kMemoryFd);
  plan.Give(trace_.get(), kTraceFd);
  errno = plan.Run(command, &pid_);
  if (errno != 0) {
    pid_ = -1;
    return SystemError("start");
  }
  return {};
}

Result<void> WorkerProcess::WaitForLoad(const WorkerSetup& setup) {
  const int64_t start_ns = MonotonicNs();
  bool has_answer = false;
  if (SendMessage(socket(), WriteSetup(setup))) {
    while (!has_answer) {
      if (workers_interrupted) {
        return Error{EndAndDescribe(LossCause::kStop, "still loading when a stop was asked for")};
      }
      if (MonotonicNs() - start_ns > kMaxLoadNs) {
        return Error{EndAndDescribe(LossCause::kTimeout, "the file takes too long to load")};
      }
      pollfd answer = {socket(), POLLIN, 0};
      has_answer = poll(&answer, 1, kPollMs) > 0;
    }
  }
  const std::vector<std::byte> answer = ReceiveMessage(socket());
  if (answer.empty()) {
    return Error{EndAndDescribe(LossCause::kItself, "")};
  }
  if (answer.front() == std::byte{0}) return {};
  return Error{std::string(reinterpret_cast<const char*>(answer.data()) + 1, answer.size() - 1)};
}

bool WorkerProcess::Ask() {
  constexpr char kWork = 'w';
  return send(socket(), &kWork, 1, MSG_NOSIGNAL) == 1;
}

bool WorkerProcess::TakeAnswer() {
  char answer = 0;
  return recv(socket(), &answer, 1, MSG_DONTWAIT) == 1;
}

// True where the process is over, though not yet reaped.
bool WorkerProcess::HasEnded(int64_t within_ns) const {
  for (const int64_t start_ns = MonotonicNs();;) {
    siginfo_t info{};
    const int failed = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (failed != 0 || info.si_pid == pid_) return true;
    if (MonotonicNs() - start_ns > within_ns) return false;
    usleep(1000);
  }
}

// Ends what is left of its group before its number can belong to others; its status.
int WorkerProcess::Reap() {
  int status = 0;
  kill(-pid_, SIGKILL);
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

WorkerProcess::~WorkerProcess() {
  if (pid_ < 0) return;
  socket_ = FileDescriptor();
  HasEnded(kLeaveNs);
  Reap();
}

std::string WorkerProcess::EndAndDescribe(LossCause cause, const std::string& what) {
  // the worker answers SIGABRT with a traceback, also from native code, and dies
  if (cause == LossCause::kItself) {
    HasEnded(kTraceNs);
  } else {
    kill(pid_, SIGABRT);
    HasEnded(kTraceNs);
  }
  const int status = Reap();
  int line = 0;
  const std::string place = PlaceFromTrace(&line);
  std::string message =
      StrCat(place, ": ", cause == LossCause::kItself ? HowItEnded(status) : what);
  const auto lines = Split(source_, '\n');
  if (StartsWith(place, path_) && line > 0 && static_cast<size_t>(line) <= lines.size()) {
    message += StrCat("; the line is: ", Trim(lines[static_cast<size_t>(line) - 1]));
  }
  return message;
}

// The innermost line of the traceback, `  File "reward.py", line 3 in f`, that is the user's: of
// the file, or of one beside it.
std::string WorkerProcess::PlaceFromTrace(int* line) const {
  constexpr size_t kMaxTraceBytes = 65536;
  std::string trace(kMaxTraceBytes, '\0');
  const ssize_t size = pread(trace_.get(), trace.data(), trace.size(), 0);
  trace.resize(size > 0 ? static_cast<size_t>(size) : 0);

  std::error_code error;
  const std::string folder = std::filesystem::absolute(path_, error).parent_path().string() + "/";
  for (const std::string_view entry : Split(trace, '\n')) {
    const size_t name = entry.find("File \"");
    const size_t end = entry.find("\", line ");
    if (name == entry.npos || end == entry.npos) continue;
    const std::string file(entry.substr(name + 6, end - name - 6));
    if (file != path_ && !StartsWith(file, folder)) continue;
    const int number = std::atoi(std::string(entry.substr(end + 8)).c_str());
    if (file == path_) *line = number;
    return StrCat(file, ":", number);
  }
  return path_;
}

}  // namespace lapforge::reward
