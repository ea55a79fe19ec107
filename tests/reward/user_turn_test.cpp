// A user's code leaves the process as it was: the state around it, float arithmetic, Python itself.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "reward/user_code.h"
#include "tests/reward/reward_fixture.h"

namespace lapforge::reward {
namespace {

namespace fs = std::filesystem;

rlim_t SoftLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

mode_t Umask() {
  const mode_t mask = umask(022);
  umask(mask);
  return mask;
}

auto HandlerOf(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

TEST_CASE("Folder, variables and locale are each side's own") {
  const UserFiles files;
  const fs::path ours = fs::current_path();
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  setenv("LAPFORGE_TEST_KEPT", "ours", 1);
  {
    const UserTurn turn;
    fs::current_path(files.folder());
    setenv("LAPFORGE_TEST_KEPT", "theirs", 1);
    setenv("LAPFORGE_TEST_NEW", "theirs", 1);
    std::setlocale(LC_ALL, "C.UTF-8");
  }
  CHECK(fs::current_path() == ours);
  CHECK(std::getenv("LAPFORGE_TEST_KEPT") == std::string("ours"));
  CHECK(std::getenv("LAPFORGE_TEST_NEW") == nullptr);
  CHECK(std::setlocale(LC_ALL, nullptr) == locale);
  {
    const UserTurn turn;
    CHECK(fs::current_path() == fs::canonical(files.folder()));
    CHECK(std::getenv("LAPFORGE_TEST_KEPT") == std::string("theirs"));
    CHECK(std::getenv("LAPFORGE_TEST_NEW") == std::string("theirs"));
    CHECK(std::setlocale(LC_ALL, nullptr) == std::string("C.UTF-8"));
    fs::current_path(ours);
    unsetenv("LAPFORGE_TEST_KEPT");
    unsetenv("LAPFORGE_TEST_NEW");
    std::setlocale(LC_ALL, locale.c_str());
  }
  CHECK(std::getenv("LAPFORGE_TEST_KEPT") == std::string("ours"));
}

TEST_CASE("Signals, limits and the umask are put back, also after a turn within a turn") {
  const auto handler = HandlerOf(SIGPIPE);
  const rlim_t limit = SoftLimit();
  const mode_t mask = Umask();
  std::optional<UserTurn> turn(std::in_place);
  std::signal(SIGPIPE, [](int) {});
  std::signal(SIGCHLD, SIG_IGN);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  const rlimit low = {limit - 1, limit - 1};
  rlimit soft{};
  getrlimit(RLIMIT_NOFILE, &soft);
  soft.rlim_cur = low.rlim_cur;
  setrlimit(RLIMIT_NOFILE, &soft);
  umask(077);
  { const UserTurn inner; }
  CHECK(SoftLimit() == limit - 1);
  turn.reset();
  CHECK(HandlerOf(SIGPIPE) == handler);
  CHECK(HandlerOf(SIGCHLD) == SIG_DFL);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  CHECK(sigismember(&blocked, SIGUSR1) == 0);
  CHECK(SoftLimit() == limit);
  CHECK(Umask() == mask);
}

TEST_CASE("Standard descriptors that were closed are open again, and our own streams stay") {
  const int kept = dup(STDOUT_FILENO);
  {
    const UserTurn turn;
    CHECK(fileno(stdout) > STDERR_FILENO);
    CHECK(fileno(stderr) > STDERR_FILENO);
    close(STDOUT_FILENO);
  }
  CHECK(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
  dup2(kept, STDOUT_FILENO);
  close(kept);
}

TEST_CASE("Rounding is the program's again after loading and after each call") {
  const std::string rounds_up = "import ctypes\nset_round = ctypes.CDLL('libm.so.6').fesetround\n";
  const std::string upward = std::to_string(FE_UPWARD);
  const UserFiles files;
  const auto loaded =
      files.Load(rounds_up + "set_round(" + upward + ")\n" + FunctionOf("return 1.0"));
  REQUIRE(loaded.ok());
  CHECK(std::fegetround() == FE_TONEAREST);
  volatile double third = 1.0;
  third = third / 3;
  CHECK(third == 0x1.5555555555555p-2);

  // the unit that the simulation uses at once, the other with the turn
  std::optional<UserTurn> turn(std::in_place);
  CHECK(files.Reward(rounds_up + FunctionOf("return set_round(" + upward + ") + 1.0")) == 1.0F);
  third = 1.0;
  third = third / 3;
  CHECK(third == 0x1.5555555555555p-2);
  turn.reset();
  CHECK(std::fegetround() == FE_TONEAREST);
}

TEST_CASE("Built-in functions are as before, and errors name file and line") {
  const UserFiles files;
  LogCapture log;
  CHECK(files.Reward("import builtins\nbuiltins.len = None\ndel builtins.print\n" +
                     FunctionOf("return len([print()])")) == 1.0F);
  REQUIRE(log.lines.size() >= 1);
  CHECK(log.lines.front().find("reward.py changes builtins.len, which is undone") !=
        std::string::npos);

  for (const std::string name : {"len", "str", "isinstance", "getattr", "BaseException"}) {
    CHECK(files.LoadError("import builtins\nbuiltins." + name + " = None\n1/0\n") ==
          "reward.py:3: ZeroDivisionError: division by zero; the line is: 1/0");
    CHECK(files.CallError("import builtins\n" +
                          FunctionOf("builtins." + name + " = None; return 1/0")) ==
          "reward.py:3: ZeroDivisionError: division by zero; the line is: builtins." + name +
              " = None; return 1/0");
  }
  CHECK(
      files.CallError("import traceback\n" + FunctionOf("traceback.walk_tb = None; 1/0")) ==
      "reward.py: failed with ZeroDivisionError; what it changed in Python's modules hides where");
}

TEST_CASE("A file does not take the program's signals, nor its hard limits") {
  const UserFiles files;
  const auto handler = HandlerOf(SIGTERM);
  CHECK(files.Reward("import signal\nfirst = signal.signal(15, signal.SIG_IGN)\n" +
                     FunctionOf("return signal.signal(15, first) == signal.SIG_IGN")) == 1.0F);
  CHECK(HandlerOf(SIGTERM) == handler);

  const rlim_t limit = SoftLimit();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  files.Reward("import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))\n" +
               FunctionOf("return 1.0"));
  rlimit after{};
  getrlimit(RLIMIT_NOFILE, &after);
  CHECK(after.rlim_max == before.rlim_max);
  CHECK(after.rlim_cur == limit);
}

}  // namespace
}  // namespace lapforge::reward
