// The Python reward in worker processes: the same numbers as in this one, and whatever a function
// does to its process costs one env a failure.
#include "reward/workers/worker_reward.h"

#include <sys/time.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "tests/reward/reward_fixture.h"

namespace lapforge::reward {
namespace {

using Clock = std::chrono::steady_clock;

// User files run by workers.
class WorkerFiles : public UserFiles {
 public:
  Result<std::unique_ptr<RewardFunction>> Start(const std::string& source,
                                                RewardOptions options = {}) const {
    options.python_file = Write("reward.py", source).string();
    if (options.workers == 0) options.workers = 1;
    return MakeWorkerReward(options, views(), {LAPFORGE_WORKER_PROGRAM});
  }
  std::unique_ptr<RewardFunction> Running(const std::string& source,
                                          const RewardOptions& options = {}) const {
    auto reward = Start(source, options);
    if (!reward.ok()) FAIL(reward.error().message);
    return std::move(*reward);
  }
  /// Cars of their own at x = 1, 2, ... on alternating directions.
  std::vector<sim::StepFacts> Cars(size_t count) const {
    std::vector<sim::StepFacts> facts;
    for (size_t i = 0; i < count; ++i) {
      const auto views_of_both = views();
      sim::StepFacts& step = facts.emplace_back(FactsAt(views_of_both[i % 2], {1, 0.1}));
      step.track_index = int32_t(i % 2);
      step.env_index = int32_t(i);
      step.front_point_m.x = double(i) + 1;
    }
    return facts;
  }
};

struct Outcome {
  std::vector<float> rewards;
  std::vector<RewardFailure> failures;
};

Outcome Evaluate(RewardFunction& reward, const std::vector<sim::StepFacts>& facts,
                 size_t enough = SIZE_MAX) {
  Outcome outcome;
  outcome.rewards.assign(facts.size(), -1.0F);
  RewardFailures failures;
  failures.enough = enough;
  const Result<void> done = reward.EvaluateEach(facts, outcome.rewards, failures);
  if (!done.ok()) FAIL(done.error().message);
  outcome.failures = std::move(failures.list);
  return outcome;
}

// A function that does `what` for the second car, and pays the number of its calls.
std::string BadForSecondCar(const std::string& what) {
  return "import ctypes, os, signal, sys, time, threading\ncalls = 0\n"
         "def reward_function(params):\n    global calls; calls += 1\n"
         "    if params['x'] == 2:\n        " +
         what + "\n    return calls\n";
}

// Lines 1 to 6 of it: `what` begins in line 6.
void CheckOneFailure(const Outcome& outcome, const std::string& message) {
  REQUIRE(outcome.failures.size() == 1);
  CHECK(outcome.failures[0].index == 1);
  const std::string& text = outcome.failures[0].message;
  CAPTURE(text);
  CHECK(text.find("reward.py:6: " + message) != std::string::npos);
}

RewardOptions QuickTimeout() {
  RewardOptions options;
  options.timeout_s = 0.3;
  return options;
}

TEST_CASE("Any number of workers gives what this process gives, call after call") {
  const WorkerFiles files;
  files.Write("beside.py", "total = 0\n");
  const std::string source =
      "import math, beside\ncalls = 0\ndef reward_function(params):\n"
      "    global calls; calls += 1; beside.total += 7\n"
      "    before, after = params['closest_waypoints']\n"
      "    return (calls + beside.total + params['x'] + math.sin(params['heading'])\n"
      "            + params['waypoints'][after][0] + params['track_width']\n"
      "            + params['track_length'] + 10 * params['is_reversed']\n"
      "            + 20 * params['is_left_of_center'] + params['distance_from_center'])\n";
  const auto here = files.Load(source);
  REQUIRE(here.ok());
  const auto facts = files.Cars(7);
  std::vector<std::unique_ptr<RewardFunction>> others;
  for (const int workers : {1, 2, 3}) {
    RewardOptions options;
    options.workers = workers;
    others.push_back(files.Running(source, options));
  }
  for (int call = 0; call < 3; ++call) {
    const Outcome expected = Evaluate(**here, facts);
    CHECK(expected.failures.empty());
    for (const auto& other : others) CHECK(Evaluate(*other, facts).rewards == expected.rewards);
  }
}

TEST_CASE("Errors of Python are those of this process") {
  const WorkerFiles files;
  for (const std::string body : {"return params['sped']", "return None", "exit()", "return 1e6"}) {
    const auto worker = files.Running(FunctionOf(body));
    const auto here = files.Load(FunctionOf(body));
    REQUIRE(here.ok());
    const Outcome outcome = Evaluate(*worker, files.Cars(2));
    const Outcome expected = Evaluate(**here, files.Cars(2));
    CHECK(outcome.rewards == std::vector<float>(2));
    REQUIRE(outcome.failures.size() == 2);
    CHECK(outcome.failures[1].index == 1);
    CHECK(outcome.failures[1].message == expected.failures[1].message);
  }
  for (const std::string source : {"import no_such\n", "def reward_function(p:\n", "x = 1\n"}) {
    const auto worker = files.Start(source);
    const auto here = files.Load(source);
    REQUIRE_FALSE(worker.ok());
    CHECK(worker.error().message == here.error().message);
  }
  RewardOptions options;
  options.python_file = "absent.py";
  CHECK_FALSE(MakeWorkerReward(options, files.views(), {LAPFORGE_WORKER_PROGRAM}).ok());
}

TEST_CASE("A call without end is broken off where it is; the other cars go on") {
  const WorkerFiles files;
  for (const std::string what : {"while True: pass", "time.sleep(1000)", "threading.Event().wait()",
                                 "while True:\n            try: time.sleep(1)\n            except: "
                                 "pass"}) {
    const auto reward = files.Running(BadForSecondCar(what), QuickTimeout());
    const Outcome outcome = Evaluate(*reward, files.Cars(4));
    REQUIRE(outcome.failures.size() == 1);
    CHECK(outcome.failures[0].index == 1);
    CHECK(outcome.failures[0].message.find("a call took more than 0.3 s (reward.timeout_s); the "
                                           "line is: ") != std::string::npos);
    CHECK(outcome.failures[0].message.find("globals of its cars are lost") != std::string::npos);
    CHECK(outcome.rewards == std::vector<float>{1, 0, 1, 1});
  }
}

TEST_CASE("What a lost process knew is lost, for its cars alone") {
  const WorkerFiles files;
  RewardOptions options = QuickTimeout();
  options.workers = 2;  // cars 0 and 2; 1 and 3
  const auto reward = files.Running(BadForSecondCar("time.sleep(9 if calls == 2 else 0)"), options);
  const auto facts = files.Cars(4);
  CHECK(Evaluate(*reward, facts).rewards == std::vector<float>{1, 1, 1, 1});
  const Outcome second = Evaluate(*reward, facts);
  CHECK(second.rewards == std::vector<float>{2, 0, 2, 1});
  CheckOneFailure(second, "a call took more than 0.3 s");
  CHECK(Evaluate(*reward, facts).rewards == std::vector<float>{3, 1, 3, 2});
}

TEST_CASE("Crashes name the line and how the process ended") {
  const WorkerFiles files;
  const auto one = [&](const std::string& what) {
    const auto reward = files.Running(BadForSecondCar(what));
    return Evaluate(*reward, files.Cars(3));
  };
  CheckOneFailure(one("ctypes.string_at(0)"),
                  "the function's process crashed with signal 11 (Segmentation fault); the line "
                  "is: ctypes.string_at(0)");
  CheckOneFailure(one("os.kill(os.getpid(), signal.SIGABRT)"),
                  "the function's process crashed with signal 6 (Aborted)");
  CheckOneFailure(one("os._exit(0)"), "SystemExit: os._exit() was called");
  CheckOneFailure(one("sys.setrecursionlimit(10**9); f = lambda x: sorted([0], key=f); f(0)"),
                  "RecursionError");

  // what leaves no trace is still told
  const auto untraced = [&](const std::string& what) {
    const Outcome outcome = one(what);
    CHECK(outcome.rewards == std::vector<float>{1, 0, 1});
    REQUIRE(outcome.failures.size() == 1);
    return outcome.failures[0].message;
  };
  CHECK(untraced("ctypes.CDLL(None)._exit(3)")
            .find("reward.py: the function ended its process with code 3") != std::string::npos);
  CHECK(untraced("os.kill(os.getpid(), signal.SIGKILL)")
            .find("signal 9 (Killed), by the system for want of memory or by another") !=
        std::string::npos);
}

TEST_CASE("A function that takes too much memory fails, and the process goes on") {
#ifdef __SANITIZE_ADDRESS__
  std::cout << "SKIPPED: AddressSanitizer needs more memory than any limit\n";
  return;
#endif
  const WorkerFiles files;
  RewardOptions options;
  options.memory_limit_mb = 200;
  const auto reward = files.Running(
      BadForSecondCar("hoard = [bytearray(10 ** 6) for i in range(10 ** 6)]"), options);
  const Outcome outcome = Evaluate(*reward, files.Cars(3));
  CheckOneFailure(outcome, "MemoryError");
  CHECK(Evaluate(*reward, files.Cars(1)).rewards == std::vector<float>{2});

  options.memory_limit_mb = 0;
  const auto unlimited = files.Running(BadForSecondCar("x = bytearray(3 * 10 ** 8)"), options);
  CHECK(Evaluate(*unlimited, files.Cars(2)).failures.empty());
}

TEST_CASE("Processes and threads that a function begins end with it") {
  const WorkerFiles files;
  const std::string mark = (files.folder() / "pid").string();
  {
    const auto reward = files.Running(
        BadForSecondCar("pid = os.fork()\n        if pid == 0: time.sleep(1000)\n        open('" +
                        mark + "', 'w').write(str(pid))"));
    CHECK(Evaluate(*reward, files.Cars(2)).rewards == std::vector<float>{1, 1});
  }
  const pid_t child = std::stoi(ReadFile(mark).value());
  for (int i = 0; i < 100 && kill(child, 0) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  // reaped by whoever inherits it, or waiting for that
  const auto status = ReadFile("/proc/" + std::to_string(child) + "/stat");
  CHECK((!status.ok() || status->find(") Z ") != std::string::npos));

  // a copy of the process that returns from the function ends there
  const auto forking = files.Running("import os\n" + FunctionOf("return os.fork() > 0"));
  CHECK(Evaluate(*forking, files.Cars(3)).rewards == std::vector<float>{1, 1, 1});

  const auto start = Clock::now();
  {
    const auto reward = files.Running(BadForSecondCar(
        "threading.Thread(target=lambda: time.sleep(1000)).start()\n        threading.Thread("
        "target=lambda: [None for _ in iter(int, 1)]).start()"));
    CHECK(Evaluate(*reward, files.Cars(2)).failures.empty());
  }
  CHECK(Clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("No process is left when the reward is gone, however it went") {
  const WorkerFiles files;
  {
    RewardOptions options = QuickTimeout();
    options.workers = 2;
    const auto reward = files.Running(BadForSecondCar("while True: pass"), options);
    Evaluate(*reward, files.Cars(4));
  }
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("A caller that has enough does not wait for more time-outs") {
  const WorkerFiles files;
  const auto reward = files.Running(FunctionOf("while True: pass"), QuickTimeout());
  const Outcome outcome = Evaluate(*reward, files.Cars(50), 2);
  CHECK(outcome.failures.size() == 2);
  CHECK(outcome.rewards == std::vector<float>(50));
}

TEST_CASE("A stop that is asked for ends the call and is an error for all") {
  const WorkerFiles files;
  RewardOptions options;
  options.timeout_s = 1000;
  const auto reward = files.Running(FunctionOf("while True: pass"), options);
  std::signal(SIGALRM, [](int) { InterruptPython(); });
  const itimerval once = {{0, 0}, {0, 300000}};
  setitimer(ITIMER_REAL, &once, nullptr);
  std::vector<float> rewards(2);
  RewardFailures failures;
  const auto done = reward->EvaluateEach(files.Cars(2), rewards, failures);
  std::signal(SIGALRM, SIG_DFL);
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().message.find("reward.py:2: still running when a stop was asked for; the line "
                                  "is: while True: pass") != std::string::npos);
}

TEST_CASE("Prints of workers reach the log and the file") {
  const WorkerFiles files;
  LogCapture log;
  RewardOptions options;
  options.workers = 2;
  options.log_file = (files.folder() / "prints.txt").string();
  {
    const auto reward = files.Running(
        "print('loaded')\n" + FunctionOf("print('x =', params['x']); return 1"), options);
    for (int i = 0; i < 30; ++i) Evaluate(*reward, files.Cars(2));
  }
  const std::vector<std::string>& lines = log.lines;
  REQUIRE(lines.size() == 21);
  CHECK(lines[0] == "reward: loaded");
  CHECK(lines[1] == "reward: x = 1.0");
  CHECK(lines[2] == "reward: x = 2.0");
  CHECK(lines[20] == "reward: further lines are not shown (only the first 20)");
  const std::string kept = ReadFile(options.log_file).value();
  CHECK(std::count(kept.begin(), kept.end(), '\n') == 61);
}

TEST_CASE("A batch form has one worker, which sees all cars") {
  const WorkerFiles files;
  RewardOptions options = QuickTimeout();
  options.workers = 3;
  const auto reward = files.Running(
      "import numpy\ncalls = 0\ndef reward_batch(params):\n    global calls; calls += 1\n"
      "    while params['x'][0] > 5: pass\n"
      "    return params['env_index'] * 10 + calls + 100 * len(params['x'])\n",
      options);
  auto facts = files.Cars(4);
  for (sim::StepFacts& step : facts) step.track_index = 0;
  CHECK(Evaluate(*reward, facts).rewards == std::vector<float>{401, 411, 421, 431});
  CHECK(Evaluate(*reward, facts).rewards == std::vector<float>{402, 412, 422, 432});
  facts[0].front_point_m.x = 9;
  const Outcome late = Evaluate(*reward, facts);
  CHECK(late.failures.size() == 4);
  CHECK(late.failures[3].message.find("reward.py:5: a call took more than") != std::string::npos);
  facts[0].front_point_m.x = 1;
  CHECK(Evaluate(*reward, facts).rewards == std::vector<float>{401, 411, 421, 431});
}

TEST_CASE("A file that changes on the disk does not change what runs") {
  const WorkerFiles files;
  const auto reward = files.Running(BadForSecondCar("os.kill(os.getpid(), 9)"));
  files.Write("reward.py", "broken (");
  CHECK(Evaluate(*reward, files.Cars(3)).rewards == std::vector<float>{1, 0, 1});
}

}  // namespace
}  // namespace lapforge::reward
