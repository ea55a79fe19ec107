#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "reward/user_code.h"
#include "sim/base/strings.h"

namespace lapforge::reward {
namespace {

constexpr int kFirstFreeFd = 100;  // user code that closes the first few leaves ours

using Resource = decltype(RLIMIT_CPU);
using Variables = std::map<std::string, std::string>;

Variables VariablesNow() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const size_t name_end = text.find('=');
    if (name_end == text.npos) continue;
    variables.emplace(text.substr(0, name_end), text.substr(name_end + 1));
  }
  return variables;
}

// Touches only what differs.
void ChangeVariables(const Variables& from, const Variables& to) {
  for (const auto& [name, value] : from) {
    if (!to.contains(name)) unsetenv(name.c_str());
  }
  for (const auto& [name, value] : to) {
    const auto old = from.find(name);
    if (old == from.end() || old->second != value) setenv(name.c_str(), value.c_str(), 1);
  }
}

// What the user's code may change and goes on using in its next turn.
struct Surroundings {
  std::string folder;
  std::string locale;
  Variables variables;

  static Surroundings Now() {
    std::error_code error;  // of a folder that is gone
    return {std::filesystem::current_path(error).string(), std::setlocale(LC_ALL, nullptr),
            VariablesNow()};
  }

  static void Change(const Surroundings& from, const Surroundings& to) {
    std::error_code error;
    if (from.folder != to.folder) std::filesystem::current_path(to.folder, error);
    if (from.locale != to.locale) std::setlocale(LC_ALL, to.locale.c_str());
    ChangeVariables(from.variables, to.variables);
  }
};

// What the user's code may change for as long as its turn lasts.
class ProcessState {
 public:
  ProcessState() {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &actions_[i]);
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked_);
    for (size_t i = 0; i < limits_.size(); ++i) getrlimit(Resource(i), &limits_[i]);
    std::fegetenv(&float_mode_);
  }

  void PutBack() const {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &actions_[i], nullptr);
    pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
    for (size_t i = 0; i < limits_.size(); ++i) PutLimitBack(Resource(i), limits_[i].rlim_cur);
    std::fesetenv(&float_mode_);  // of both units: printf asks the old one how to round
    // a file that the program opens must not become the standard output
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDWR);
    }
  }

 private:
  // The program depends on these; for Ctrl-C and its kind it waits in a thread (stop_signal.h).
  static constexpr std::array kSignals = {SIGPIPE, SIGCHLD, SIGXFSZ};

  // As far as a hard limit that was lowered lets us.
  static void PutLimitBack(Resource resource, rlim_t wanted) {
    rlimit limit{};
    getrlimit(resource, &limit);
    const rlim_t possible = std::min(wanted, limit.rlim_max);
    if (limit.rlim_cur == possible) return;
    limit.rlim_cur = possible;
    setrlimit(resource, &limit);
  }

  std::array<struct sigaction, kSignals.size()> actions_{};
  sigset_t blocked_{};
  std::array<rlimit, RLIM_NLIMITS> limits_{};
  std::fenv_t float_mode_{};
};

FILE* AwayFromUsers(FILE* stream) {
  if (fileno(stream) >= kFirstFreeFd) return stream;
  std::fflush(stream);
  const int fd = fcntl(fileno(stream), F_DUPFD_CLOEXEC, kFirstFreeFd);
  FILE* const moved = fd < 0 ? nullptr : fdopen(fd, "w");
  return moved == nullptr ? stream : moved;
}

// The C library allows this.
bool MoveStreams() {
  stdout = AwayFromUsers(stdout);
  stderr = AwayFromUsers(stderr);
  std::setvbuf(stderr, nullptr, _IONBF, 0);
  return true;
}

// Read once: that takes changing it, which other threads that make files would see.
mode_t OwnUmask() {
  static const mode_t mask = [] {
    const mode_t now = umask(077);
    umask(now);
    return now;
  }();
  return mask;
}

// The program's side of the turn in progress.
struct Turn {
  const ProcessState state;
  const Surroundings ours = Surroundings::Now();
};

std::optional<Surroundings> theirs;  // as the last turn left them
std::optional<Turn> turn;
int depth = 0;

}  // namespace

UserTurn::UserTurn() {
  if (depth++ > 0) return;
  [[maybe_unused]] static const bool are_moved = MoveStreams();
  OwnUmask();
  turn.emplace();
  if (theirs) Surroundings::Change(turn->ours, *theirs);
}

UserTurn::~UserTurn() {
  if (--depth > 0) return;
  theirs = Surroundings::Now();
  Surroundings::Change(*theirs, turn->ours);
  umask(OwnUmask());
  turn->state.PutBack();
  turn.reset();
}

}  // namespace lapforge::reward
