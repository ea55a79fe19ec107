#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "reward/python/interpreter.h"
#include "reward/user_code.h"
#include "reward/workers/post_mortem.h"

namespace lapforge::reward {
namespace {

constexpr int kFirstFreeFd = 100;  // user code that closes the first few leaves ours

int trace_fd = -1;  // Python's own handler, which comes first, writes to it
std::array<char, 8192> trace{};
std::array<char, 1024> user_file{};

void Say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(fileno(stderr), text.data(), text.size());
}

// ":3", of the innermost entry `File "reward.py", line 3 in f`.
std::string_view LineInTrace() {
  constexpr std::string_view kLine = "\", line ";
  [[maybe_unused]] const ssize_t size = pread(trace_fd, trace.data(), trace.size() - 1, 0);
  const std::string_view all(trace.data());
  const size_t name = all.find(user_file.data());
  const size_t line = name == all.npos ? name : all.find(kLine, name);
  if (line == all.npos) return "";
  const size_t begin = line + kLine.size();
  trace[begin - 1] = ':';
  return all.substr(begin - 1, all.find_first_not_of("0123456789", begin) - begin + 1);
}

// Only what a signal handler may use.
void OnCrash(int signal) {
  if (RunsUserCode()) {
    const std::array<char, 3> number = {static_cast<char>('0' + signal / 10),
                                        static_cast<char>('0' + signal % 10), '\0'};
    for (const std::string_view text :
         {std::string_view("lapforge: "), std::string_view(user_file.data()), LineInTrace(),
          std::string_view(": crashed the program with signal "),
          std::string_view(number.data() + (signal < 10 ? 1 : 0)), std::string_view(" ("),
          std::string_view(sigdescr_np(signal)),
          std::string_view("); --set reward.workers=1 lets a training survive that\n")}) {
      Say(text);
    }
  }
  raise(signal);  // now the system's own answer
}

}  // namespace

void TellCrashes() {
  const FileDescriptor file = MakeTraceFile();
  trace_fd = fcntl(file.get(), F_DUPFD_CLOEXEC, kFirstFreeFd);
  SetCrashTrace(trace_fd);
  struct sigaction action {};
  action.sa_handler = OnCrash;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) {
    sigaction(signal, &action, nullptr);
  }
}

void NoteUserFile(std::string_view path) {
  user_file[path.copy(user_file.data(), user_file.size() - 1)] = '\0';
}

}  // namespace lapforge::reward
