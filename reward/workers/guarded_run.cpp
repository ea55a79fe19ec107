#include "reward/guarded_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "reward/python/interpreter.h"
#include "reward/user_code.h"
#include "reward/workers/post_mortem.h"
#include "reward/workers/process_limits.h"
#include "sim/base/strings.h"

namespace lapforge::reward {
namespace {

constexpr int kPollMs = 100;
constexpr int kInterruptedCode = 130;
constexpr int kFirstFreeFd = 100;  // user code that closes the first few leaves ours
constexpr size_t kMaxSourceBytes = size_t{16} << 20;

// How the work of the copy came to its end, if it did.
enum class WorkEnd : uint8_t { kNone, kDone, kOutOfMemory, kOutputLost };

// Shared by both processes.
struct SharedState {
  std::atomic<int64_t> deadline_ns = 0;  // of the call in progress; 0: none
  std::atomic<double> limit_s = 0;       // that it may take
  std::atomic<WorkEnd> end = WorkEnd::kNone;
  std::atomic<int> exit_code = 0;
  std::array<char, 120> what{};  // the call in progress, ends with a zero
};

SharedState* watched = nullptr;

Error SystemError(const char* what) {
  return Error{StrCat("cannot ", what, ": ", std::strerror(errno))};
}

// The copy's life: never returns.
class Copy {
 public:
  Copy(int output_fd, int error_fd) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(error_fd, STDOUT_FILENO);
    dup2(error_fd, STDERR_FILENO);
    // the C library allows this: printf is ours whatever the user's code does to descriptor 1
    stdout = fdopen(fcntl(output_fd, F_DUPFD_CLOEXEC, kFirstFreeFd), "w");
  }

  [[noreturn]] void Work(const std::function<int()>& work) {
    try {
      watched->exit_code = work();
      const bool is_whole = stdout != nullptr && std::fflush(stdout) == 0;
      watched->end = is_whole ? WorkEnd::kDone : WorkEnd::kOutputLost;
    } catch (const std::bad_alloc&) {
      watched->end = WorkEnd::kOutOfMemory;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "lapforge: %s\n", error.what());
      watched->exit_code = 1;
      watched->end = WorkEnd::kDone;
    }
    // threads that the user's code left behind end here
    _exit(0);
  }
};

// This process's side.
class Guard {
 public:
  static Result<int> Run(const GuardOptions& options, const std::function<int()>& work) {
    Guard guard(options);
    LAPFORGE_CHECK_OK(guard.Start(work));
    guard.Watch();
    return guard.Finish();
  }

 private:
  explicit Guard(const GuardOptions& options) : options_(options), start_ns_(MonotonicNs()) {}
  ~Guard() {
    sigprocmask(SIG_SETMASK, &signals_before_, nullptr);
    if (watched != nullptr) munmap(watched, sizeof(SharedState));
    watched = nullptr;
  }

  Result<void> Start(const std::function<int()>& work) {
    void* const memory = mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return SystemError("share memory with a copy of the program");
    watched = new (memory) SharedState;
    AdoptProcesses();
    TakeSignals();
    trace_ = MakeTraceFile();
    std::array<int, 2> output{}, errors{};
    if (!signals_.is_open() || !trace_.is_open() || pipe2(output.data(), O_CLOEXEC) != 0 ||
        pipe2(errors.data(), O_CLOEXEC) != 0) {
      return SystemError("talk to a copy of the program");
    }
    output_ = FileDescriptor(output[0]);
    errors_ = FileDescriptor(errors[0]);
    const FileDescriptor their_output(output[1]), their_errors(errors[1]);

    std::fflush(stdout);
    pid_ = fork();
    if (pid_ < 0) return SystemError("start a copy of the program");
    if (pid_ > 0) return {};
    sigprocmask(SIG_SETMASK, &signals_before_, nullptr);
    SetCrashTrace(fcntl(trace_.get(), F_DUPFD_CLOEXEC, kFirstFreeFd));
    Copy copy(their_output.get(), their_errors.get());
    LimitMemory(int64_t{options_.memory_limit_mb} << 20);
    copy.Work(work);
  }

  // The end of the copy, Ctrl-C and its kind are read from a file from now on.
  void TakeSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) {
      if (!IsIgnored(signal)) sigaddset(&signals, signal);
    }
    sigprocmask(SIG_BLOCK, &signals, &signals_before_);
    signals_ = FileDescriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  // Until the copy is over, for whatever reason.
  void Watch() {
    while (!HasEnded(pid_, 0)) {
      std::array<pollfd, 3> files = {
          {{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
      poll(files.data(), files.size(), kPollMs);
      Forward();
      if (IsStopWanted()) {
        kill(pid_, SIGKILL);
        return;
      }
      if (IsOver(watched->deadline_ns)) {
        return Stop(StrCat("it took more than ", watched->limit_s.load(), " s"));
      }
      if (IsOver(start_ns_ + static_cast<int64_t>(1e9 * options_.timeout_s))) {
        return Stop(StrCat("all took more than ", options_.timeout_s, " s (--timeout)"));
      }
    }
  }

  // As for programs behind nohup.
  static bool IsIgnored(int signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_IGN;
  }

  static bool IsOver(int64_t deadline_ns) {
    return deadline_ns != 0 && MonotonicNs() > deadline_ns;
  }

  // Ctrl-C, and its kind.
  bool IsStopWanted() {
    signalfd_siginfo info{};
    while (read(signals_.get(), &info, sizeof(info)) == sizeof(info)) {
      is_interrupted_ |= info.ssi_signo != SIGCHLD;
    }
    return is_interrupted_;
  }

  void Stop(const std::string& why) {
    why_stopped_ = why;
    Abort(pid_);
    kill(pid_, SIGKILL);
  }

  // What is in the pipes: output is kept, errors are shown.
  void Forward() {
    for (const FileDescriptor* pipe : {&output_, &errors_}) {
      std::array<char, 65536> bytes;
      pollfd file = {pipe->get(), POLLIN, 0};
      while (poll(&file, 1, 0) > 0 && (file.revents & POLLIN) != 0) {
        const ssize_t size = read(pipe->get(), bytes.data(), bytes.size());
        if (size <= 0) break;
        if (pipe == &output_) text_.append(bytes.data(), static_cast<size_t>(size));
        if (pipe == &errors_) std::fwrite(bytes.data(), 1, static_cast<size_t>(size), stderr);
      }
    }
  }

  Result<int> Finish() {
    const std::string how = HowItEnded(pid_);
    rusage usage{};
    while (wait4(pid_, nullptr, 0, &usage) < 0 && errno == EINTR) {
    }
    EndProcesses();
    Forward();
    if (is_interrupted_) return kInterruptedCode;
    if (watched->end == WorkEnd::kDone) {
      std::fwrite(text_.data(), 1, text_.size(), stdout);
      return watched->exit_code.load();
    }
    return Error{Describe(how, usage.ru_maxrss)};
  }

  std::string Describe(const std::string& how, int64_t max_memory_kb) const {
    const UserPlace where = FindPlace();
    const std::string what(watched->what.data());
    const int64_t limit_mb = options_.memory_limit_mb;
    std::string text = how;
    if (watched->end == WorkEnd::kOutOfMemory) text = "the memory is used up";
    if (watched->end == WorkEnd::kOutputLost) text = "the function closed the program's own files";
    if (!why_stopped_.empty()) text = why_stopped_;
    if (limit_mb > 0 && (max_memory_kb >> 10) > limit_mb * 8 / 10) {
      text += StrCat(", having taken ", max_memory_kb >> 10, " MB of memory (--memory-limit)");
    }
    if (!what.empty()) text += StrCat(", in ", what);
    return StrCat(where.place, ": ", text, where.source_line);
  }

  UserPlace FindPlace() const {
    UserPlace place;
    for (const std::string& file : options_.files) {
      const Result<std::string> source = ReadFile(file, kMaxSourceBytes);
      place = FindUserPlace(trace_, file, source.ok() ? *source : "");
      if (place.place != file) break;
    }
    return place;
  }

  const GuardOptions& options_;
  const int64_t start_ns_;
  sigset_t signals_before_{};
  FileDescriptor signals_;
  FileDescriptor trace_;
  FileDescriptor output_;
  FileDescriptor errors_;
  pid_t pid_ = -1;
  std::string text_;  // what the copy has printed to stdout
  std::string why_stopped_;
  bool is_interrupted_ = false;
};

}  // namespace

Result<int> RunGuarded(const GuardOptions& options, const std::function<int()>& work) {
  return Guard::Run(options, work);
}

WatchedCall::WatchedCall(double limit_s, std::string_view what) {
  if (watched == nullptr) return;
  watched->what[what.copy(watched->what.data(), watched->what.size() - 1)] = '\0';
  watched->limit_s = limit_s;
  watched->deadline_ns = MonotonicNs() + static_cast<int64_t>(1e9 * limit_s);
}

WatchedCall::~WatchedCall() {
  if (watched == nullptr) return;
  watched->deadline_ns = 0;
  watched->what[0] = '\0';
}

}  // namespace lapforge::reward
