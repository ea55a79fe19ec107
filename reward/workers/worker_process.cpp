#include "reward/workers/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "reward/workers/interruption.h"
#include "reward/workers/post_mortem.h"
#include "sim/base/strings.h"

namespace lapforge::reward {
namespace {

constexpr int64_t kTraceNs = 500'000'000;    // for a dying worker to write where it was
constexpr int64_t kLeaveNs = 2'000'000'000;  // for files that the user left open
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

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(const std::vector<std::string>& command,
                                                            const WorkerSetup& setup,
                                                            const SharedBlock& block,
                                                            double load_timeout_s) {
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess(setup));
  LAPFORGE_CHECK_OK(worker->Spawn(command, block));
  LAPFORGE_CHECK_OK(worker->WaitForLoad(setup, load_timeout_s));
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
  trace_ = Above(MakeTraceFile());
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

Result<void> WorkerProcess::WaitForLoad(const WorkerSetup& setup, double timeout_s) {
  const int64_t start_ns = MonotonicNs();
  bool has_answer = false;
  if (SendMessage(socket(), WriteSetup(setup))) {
    while (!has_answer) {
      if (workers_interrupted) {
        return Error{EndAndDescribe(LossCause::kStop, "still loading when a stop was asked for")};
      }
      if (double(MonotonicNs() - start_ns) > 1e9 * timeout_s) {
        return Error{EndAndDescribe(
            LossCause::kTimeout,
            StrCat("loading took more than ", timeout_s, " s (reward.load_timeout_s)"))};
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

// Ends what is left of its group before its number can belong to others.
void WorkerProcess::Reap() {
  kill(-pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

WorkerProcess::~WorkerProcess() {
  if (pid_ < 0) return;
  socket_ = FileDescriptor();
  HasEnded(pid_, kLeaveNs);
  Reap();
}

std::string WorkerProcess::EndAndDescribe(LossCause cause, const std::string& what) {
  if (cause == LossCause::kItself) {
    HasEnded(pid_, kTraceNs);
  } else {
    Abort(pid_);
  }
  if (cause == LossCause::kItself) kill(pid_, SIGKILL);  // where it only closed its socket
  const std::string how = cause == LossCause::kItself ? HowItEnded(pid_) : what;
  Reap();
  const UserPlace where = FindUserPlace(trace_, path_, source_);
  return StrCat(where.place, ": ", how, where.source_line);
}

}  // namespace lapforge::reward
