// The Python reward: what files it takes, what it does with results, and every kind of error.
#include <sys/time.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/reward/reward_fixture.h"

namespace lapforge::reward {
namespace {

// Interrupts user code every 300 ms while it lives, as a handler of signals does.
class InterruptAgainAndAgain {
 public:
  InterruptAgainAndAgain() {
    std::signal(SIGALRM, [](int) { InterruptPython(); });
    const itimerval period = {{0, 300000}, {0, 300000}};
    setitimer(ITIMER_REAL, &period, nullptr);
  }
  ~InterruptAgainAndAgain() {
    const itimerval never = {};
    setitimer(ITIMER_REAL, &never, nullptr);
    std::signal(SIGALRM, SIG_DFL);
  }
};

TEST_CASE("Whatever float() takes is a reward") {
  const UserFiles files;
  CHECK(files.Reward(FunctionOf("return 0.25")) == 0.25F);
  CHECK(files.Reward(FunctionOf("return 7")) == 7.0F);
  CHECK(files.Reward(FunctionOf("return True")) == 1.0F);
  CHECK(files.Reward(FunctionOf("return ' 1.5e1 '")) == 15.0F);
  CHECK(files.Reward(FunctionOf("return -1")) == -1.0F);
  CHECK(files.Reward(FunctionOf("return 1e5")) == 1e5F);
  CHECK(files.Reward(FunctionOf("return -1e5")) == -1e5F);
  CHECK(files.Reward("import numpy\n" + FunctionOf("return numpy.float32(0.5)")) == 0.5F);
  CHECK(files.Reward("import numpy\n" + FunctionOf("return numpy.int64(3)")) == 3.0F);
  CHECK(files.Reward("class N:\n    def __float__(self): return 2.5\n" +
                     FunctionOf("return N()")) == 2.5F);
}

TEST_CASE("What is no reward is an error with the value") {
  const UserFiles files;
  const auto error_of = [&](const std::string& result) {
    return files.CallError("\n" + FunctionOf("return " + result));
  };
  const std::string expected = "; expected a number in -1e5 .. 1e5";
  CHECK(error_of("None") ==
        "reward.py:2: reward_function returned None (does every path end in a return?)" + expected);
  CHECK(error_of("[1.0]") == "reward.py:2: reward_function returned [1.0]" + expected);
  CHECK(error_of("'fast'") == "reward.py:2: reward_function returned 'fast'" + expected);
  CHECK(error_of("float('nan')") == "reward.py:2: reward_function returned nan" + expected);
  CHECK(error_of("float('-inf')") == "reward.py:2: reward_function returned -inf" + expected);
  CHECK(error_of("100000.1") == "reward.py:2: reward_function returned 100000.1" + expected);
  CHECK(error_of("-1e6") == "reward.py:2: reward_function returned -1000000.0" + expected);
  CHECK(error_of("10 ** 400") ==
        "reward.py:2: reward_function returned 1" + std::string(59, '0') + "..." + expected);
  CHECK(error_of("10 ** 5000") == "reward.py:2: reward_function returned a int" + expected);
  CHECK(error_of("'1e6'") == "reward.py:2: reward_function returned '1e6'" + expected);
  CHECK(error_of("[0] * 100000").size() < 500);
  CHECK(files.CallError("class Odd:\n    def __repr__(self): raise ValueError\n" +
                        FunctionOf("return Odd()")) ==
        "reward.py:3: reward_function returned a Odd" + expected);
}

TEST_CASE("An error of the user's own __float__ is shown as any other") {
  const UserFiles files;
  CHECK(files.CallError("class N:\n    def __float__(self): raise ValueError('no number')\n" +
                        FunctionOf("return N()")) ==
        "reward.py:2: ValueError: no number; the line is: def __float__(self): raise "
        "ValueError('no number')");
}

TEST_CASE("A function that does not return can be interrupted, and is placed") {
  const UserFiles files;
  const InterruptAgainAndAgain interrupts;
  const std::string message =
      "reward.py:2: Interrupted: still running when a stop was asked for; the line is: while True: "
      "pass";
  CHECK(files.CallError(FunctionOf("while True: pass")) == message);
  CHECK(files.LoadError("x = 1\nwhile True: pass\n") == message);
  CHECK(files.CallError("import time\n" + FunctionOf("time.sleep(1000)"))
            .starts_with("reward.py:3: Interrupted: "));
}

TEST_CASE("An interruption while no reward runs is forgotten") {
  const UserFiles files;
  InterruptPython();
  CHECK(files.Reward(FunctionOf("return 1")) == 1.0F);
}

TEST_CASE("An exception names file, line, cause and source line") {
  const UserFiles files;
  CHECK(files.CallError("# a comment\n" + FunctionOf("return 1 / (params['x'] - params['x'])")) ==
        "reward.py:3: ZeroDivisionError: float division by zero; the line is: return 1 / "
        "(params['x'] - params['x'])");
  CHECK(files.CallError("def helper():\n    raise ValueError('two\\nlines')\n" +
                        FunctionOf("return helper()")) ==
        "reward.py:2: ValueError: two lines; the line is: raise ValueError('two\\nlines')");
  CHECK(files.CallError(FunctionOf("assert False")) ==
        "reward.py:2: AssertionError; the line is: assert False");
  CHECK(files.CallError("class Odd(Exception):\n    def __str__(self): return 1 / 0\n" +
                        FunctionOf("raise Odd")) == "reward.py:4: Odd; the line is: raise Odd");
  CHECK(files.CallError("import numpy\n" + FunctionOf("return numpy.zeros(3).reshape(7)"))
            .starts_with("reward.py:3: ValueError: cannot reshape array"));
}

TEST_CASE("An unknown key is named with the nearest one") {
  const UserFiles files;
  CHECK(files.CallError(FunctionOf("return params['steering']")) ==
        "reward.py:2: KeyError: 'steering' (did you mean 'steering_angle'?); the line is: return "
        "params['steering']");
  CHECK(files.CallError(FunctionOf("return params['distance_from_centre']"))
            .starts_with("reward.py:2: KeyError: 'distance_from_centre' (did you mean "
                         "'distance_from_center'?);"));
  // a key that exists: the user's own dictionary was meant
  CHECK(files.CallError(FunctionOf("return {}['speed']")) ==
        "reward.py:2: KeyError: 'speed'; the line is: return {}['speed']");
  CHECK(files.CallError(FunctionOf("return {}[3]")) ==
        "reward.py:2: KeyError: 3; the line is: return {}[3]");
}

TEST_CASE("What would end a Python program is an error of the reward") {
  const UserFiles files;
  for (const std::string call : {"exit()", "import sys; sys.exit(3)", "raise SystemExit"}) {
    CHECK(files.CallError(FunctionOf(call)) ==
          "reward.py:2: SystemExit: exit() was called, which a reward function may not; the line "
          "is: " +
              call);
  }
  for (const auto& [call, name] : std::vector<std::pair<std::string, std::string>>{
           {"os._exit(0)", "os._exit"},
           {"posix._exit(0)", "os._exit"},
           {"os.abort()", "os.abort"},
           {"os.execl('/bin/true', 'true')", "os.execv"}}) {
    CHECK(files.CallError("import os, posix\n" + FunctionOf(call)) ==
          "reward.py:3: SystemExit: " + name +
              "() was called, which a reward function may not; the line is: " + call);
  }
  CHECK(files.Reward("import os\n" + FunctionOf("pid = os.fork()\n    if pid == 0: os._exit(7)\n"
                                                "    return os.waitpid(pid, 0)[1] >> 8")) == 7.0F);
  CHECK(files.LoadError("quit()\n").starts_with("reward.py:1: SystemExit: exit() was called"));
  CHECK(files.CallError(FunctionOf("raise KeyboardInterrupt")) ==
        "reward.py:2: KeyboardInterrupt; the line is: raise KeyboardInterrupt");
  CHECK(files.CallError(FunctionOf("return reward_function(params)")) ==
        "reward.py:2: RecursionError: maximum recursion depth exceeded; the line is: return "
        "reward_function(params)");
  CHECK(files.CallError(FunctionOf("return input()")) ==
        "reward.py:2: RuntimeError: input(): lost sys.stdin; the line is: return input()");
  CHECK(files.Reward(FunctionOf("return 1")) == 1.0F);
}

TEST_CASE("A file that does not load says why") {
  const UserFiles files;
  CHECK(files.LoadError("x = 1\ndef reward_function(params)\n    return 1\n") ==
        "reward.py:2: SyntaxError: expected ':'; the line is: def reward_function(params)");
  CHECK(files.LoadError("def reward_function(params):\n\tx = 1\n        return x\n")
            .starts_with("reward.py:3: TabError: inconsistent use of tabs"));
  CHECK(files.LoadError("\n1 / 0\n") ==
        "reward.py:2: ZeroDivisionError: division by zero; the line is: 1 / 0");
  CHECK(files.LoadError("import no_such_module\n")
            .starts_with("reward.py:1: ModuleNotFoundError: No module named 'no_such_module' (a "
                         "module of your own must be in "));
  CHECK(files.LoadError("raise ModuleNotFoundError('none', name='scipy.linalg')\n")
            .find("(rewards run on the system's Python: apt install python3-scipy)") !=
        std::string::npos);
  CHECK(files.LoadError("async def reward_function(params):\n    return 1\n") ==
        "reward.py: reward_function is an 'async def', which returns no number; write 'def'");
  CHECK(files.LoadError(std::string("x = 1\0\n", 7)).find("null byte") != std::string::npos);

  files.Write("helper.py", "y = 2\nz = undefined_name\n");
  const auto reward = files.Load("import helper\n");
  REQUIRE_FALSE(reward.ok());
  CHECK(reward.error().message == (files.folder() / "helper.py").string() +
                                      ":2: NameError: name 'undefined_name' is not defined; the "
                                      "line is: z = undefined_name");

  const auto absent = LoadPythonReward((files.folder() / "absent.py").string(), files.views());
  REQUIRE_FALSE(absent.ok());
  CHECK(absent.error().message.find("absent.py") != std::string::npos);
  CHECK_FALSE(LoadPythonReward(files.folder().string(), files.views()).ok());
}

TEST_CASE("A file without a usable reward_function names what it has") {
  const UserFiles files;
  const std::string missing = "reward.py: there is no function reward_function(params)";
  CHECK(files.LoadError("def reward_fuction(params):\n    return 1\n") ==
        missing + " (did you mean 'reward_fuction'?)");
  CHECK(files.LoadError("def a():\n    pass\ndef b():\n    pass\n") ==
        missing + " (it defines a, b)");
  CHECK(files.LoadError("") == missing);
  CHECK(files.LoadError("reward_function = 3\n") ==
        "reward.py: reward_function is 3; expected a function");
  CHECK(files.LoadError("def reward_function():\n    return 1\n") ==
        "reward.py: reward_function takes (); expected one argument, params");
  CHECK(files.LoadError("def reward_function(a, b):\n    return 1\n") ==
        "reward.py: reward_function takes (a, b); expected one argument, params");
}

TEST_CASE("Every callable that takes one argument will do; the last definition wins") {
  const UserFiles files;
  CHECK(files.Reward("def reward_function(p, scale=3):\n    return scale\n") == 3.0F);
  CHECK(files.Reward("def reward_function(*args):\n    return len(args)\n") == 1.0F);
  CHECK(files.Reward("reward_function = lambda params: 4\n") == 4.0F);
  CHECK(files.Reward(
            "class R:\n    def __call__(self, params): return 5\nreward_function = R()\n") == 5.0F);
  CHECK(files.Reward(FunctionOf("return 1") + FunctionOf("return 2")) == 2.0F);
  CHECK(files.Reward("if __name__ == '__main__':\n    1 / 0\n" + FunctionOf("return 6")) == 6.0F);
  CHECK(files.Reward("from __future__ import annotations\nfrom dataclasses import dataclass\n"
                     "@dataclass\nclass C:\n    a: int = 7\n" +
                     FunctionOf("return C().a")) == 7.0F);
}

TEST_CASE("Byte order marks, line ends, tabs and other encodings are read") {
  const UserFiles files;
  CHECK(files.Reward("\xEF\xBB\xBF" + FunctionOf("return 1")) == 1.0F);
  CHECK(files.Reward("def reward_function(params):\r\n\tif True:\r\n\t\treturn 2\r\n") == 2.0F);
  CHECK(files.Reward("def reward_function(params):\r    return 3\r") == 3.0F);
  CHECK(files.Reward("# gr\xC3\xB6\xC3\x9F"
                     "e\n" +
                     FunctionOf("return len('\xC3\xB6')")) == 1.0F);
  CHECK(files.Reward("# gr\xF6\xDF"
                     "e\n" +
                     FunctionOf("return len('\xF6')")) == 1.0F);
  CHECK(files.CallError("# gr\xC3\xB6\xC3\x9F"
                        "e\r\n" +
                        FunctionOf("raise ValueError('\xC3\xB6')")) ==
        "reward.py:3: ValueError: \xC3\xB6; the line is: raise ValueError('\xC3\xB6')");
}

TEST_CASE("A path need not be valid UTF-8") {
  const UserFiles files;
  const auto reward = files.Load(FunctionOf("return 1 / 0"), "w\xE9g.py");
  REQUIRE(reward.ok());
  std::array<float, 1> rewards{};
  const auto done = (*reward)->Evaluate(files.Facts(1), rewards);
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().message.ends_with(
      "/w\\udce9g.py:2: ZeroDivisionError: division by zero; the line is: return 1 / 0"));
}

TEST_CASE("A file of more than 60 KB with a long table works") {
  std::string source = "TABLE = [\n";
  for (int i = 0; i < 2000; ++i)
    source += "    (" + std::to_string(i) + ".0, 1.5, 2.5, 3.5, 45),\n";
  source += "]\n" + FunctionOf("return TABLE[-1][0] + len(TABLE)");
  CHECK(source.size() > 60000);
  CHECK(UserFiles().Reward(source) == 3999.0F);
}

TEST_CASE("Globals live as long as the reward and belong to one load and one env") {
  const UserFiles files;
  files.Write("counter.py", "total = 0\n");
  const std::string source =
      "import counter\ncalls = 0\ndef reward_function(params):\n    global calls\n    calls += 1\n"
      "    counter.total += 10\n    return calls + counter.total\n";
  const auto first = files.Load(source);
  const auto second = files.Load(source);
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  sim::StepFacts other_env = files.Facts(1).front();
  other_env.env_index = 63;
  CHECK(files.Call(**first) == 11.0F);
  CHECK(files.Call(**first) == 22.0F);
  CHECK(files.Call(**second) == 11.0F);
  CHECK(UserFiles::Call(**first, other_env) == 11.0F);
  CHECK(files.Call(**first) == 33.0F);
  CHECK(UserFiles::Call(**first, other_env) == 22.0F);
}

TEST_CASE("Modules beside the file are found, also by an import inside the function") {
  const UserFiles files;
  files.Write("late_helper.py", "def value():\n    return 8\n");
  CHECK(files.Reward("def reward_function(params):\n    import late_helper\n"
                     "    return late_helper.value()\n") == 8.0F);
}

TEST_CASE("A package beside the file is its own too, and errors in it are placed") {
  const UserFiles files;
  std::filesystem::create_directory(files.folder() / "lines");
  files.Write("lines/__init__.py", "");
  files.Write("lines/oval.py",
              "calls = 0\ndef count():\n    global calls\n    calls += 1\n"
              "    return 6 / (3 - calls)\n");
  const auto reward = files.Load("from lines import oval\n" + FunctionOf("return oval.count()"));
  REQUIRE(reward.ok());
  sim::StepFacts other_env = files.Facts(1).front();
  other_env.env_index = 1;
  CHECK(files.Call(**reward) == 3.0F);
  CHECK(files.Call(**reward) == 6.0F);
  CHECK(UserFiles::Call(**reward, other_env) == 3.0F);
  std::array<float, 1> rewards{};
  const auto done = (*reward)->Evaluate(files.Facts(1), rewards);
  REQUIRE_FALSE(done.ok());
  CHECK(
      done.error().message.ends_with("/lines/oval.py:5: ZeroDivisionError: division by zero; the "
                                     "line is: return 6 / (3 - calls)"));
}

TEST_CASE("Each env gets its own params, in order; rewards before an error are written") {
  const UserFiles files;
  const auto reward = files.Load(
      "def reward_function(params):\n    if params['x'] > 3:\n        raise ValueError('far')\n"
      "    return params['x']\n");
  REQUIRE(reward.ok());
  std::vector<sim::StepFacts> facts = files.Facts(4);
  for (size_t i = 0; i < facts.size(); ++i) facts[i].front_point_m.x = double(i) + 1.0;
  std::vector<float> rewards(4, -1.0F);
  const auto done = (*reward)->Evaluate(facts, rewards);
  REQUIRE_FALSE(done.ok());
  CHECK(rewards == std::vector<float>{1, 2, 3, 0});

  // the next call works
  facts[3].front_point_m.x = 0.5;
  CHECK((*reward)->Evaluate(facts, rewards).ok());
  CHECK(rewards == std::vector<float>{1, 2, 3, 0.5});
}

TEST_CASE("An interruption concerns all, whoever calls") {
  const UserFiles files;
  const auto reward = files.Load(FunctionOf("while True: pass"));
  REQUIRE(reward.ok());
  const InterruptAgainAndAgain interrupts;
  std::vector<float> rewards(2);
  RewardFailures failures;
  CHECK_FALSE((*reward)->EvaluateEach(files.Facts(2), rewards, failures).ok());
}

TEST_CASE("A step that ended in a fault is worth 0 and the user does not see it") {
  const UserFiles files;
  const auto reward = files.Load(FunctionOf("raise ValueError"));
  REQUIRE(reward.ok());
  sim::StepFacts facts = files.Facts(1).front();
  facts.reason = sim::EndReason::kFault;
  facts.front_point_m.x = NAN;
  CHECK(UserFiles::Call(**reward, facts) == 0.0F);
}

TEST_CASE("The examples run and prefer the middle of the road") {
  const UserFiles files;
  for (const char* name : {"follow_center", "smooth_progress", "waypoint_heading"}) {
    INFO(name);
    const auto reward = LoadPythonReward(
        std::string(LAPFORGE_SOURCE_DIR) + "/reward/examples/" + name + ".py", files.views());
    REQUIRE(reward.ok());
    sim::StepFacts good = FactsAt(SquareTrack(), {1, 0});
    good.speed_cmd_mps = 2;
    good.progress_pct = 5;
    sim::StepFacts bad = FactsAt(SquareTrack(), {1, 0.5});
    bad.is_off_track = true;
    bad.car.yaw_rad = kPi;
    CHECK(UserFiles::Call(**reward, good) > UserFiles::Call(**reward, bad));
  }
}

TEST_CASE("Prints go to the log until there are too many") {
  const UserFiles files;
  LogCapture log;
  const auto reward =
      files.Load("print('loaded', 1)\n" + FunctionOf("print('x =', params['x']); return 1"));
  REQUIRE(reward.ok());
  for (int i = 0; i < 100; ++i) files.Call(**reward);
  REQUIRE(log.lines.size() == 21);
  CHECK(log.lines[0] == "reward: loaded 1");
  CHECK(log.lines[1] == "reward: x = 1.0");
  CHECK(log.lines[19] == "reward: x = 1.0");
  CHECK(log.lines[20] == "reward: further lines are not shown (only the first 20)");

  // the copies of other cars say nothing when they load, and all share the lines
  log.lines.clear();
  const auto many = files.Load("print('loaded')\n" + FunctionOf("print('called'); return 1"));
  REQUIRE(many.ok());
  std::vector<sim::StepFacts> facts(8, files.Facts(1).front());
  for (size_t i = 0; i < facts.size(); ++i) facts[i].env_index = int32_t(i);
  std::vector<float> rewards(facts.size());
  CHECK((*many)->Evaluate(facts, rewards).ok());
  CHECK(log.lines.size() == 9);
  CHECK(log.lines[0] == "reward: loaded");
  CHECK(log.lines[8] == "reward: called");

  // the next file has lines of its own, to stderr too
  log.lines.clear();
  files.Reward("import sys\n" + FunctionOf("sys.stderr.write('a\\nb\\udc80\\n'); return 1"));
  CHECK(log.lines == std::vector<std::string>{"reward: a", "reward: b\\udc80"});
}

TEST_CASE("Files that a reward left open are whole when it is gone") {
  const UserFiles files;
  const std::string out = (files.folder() / "log.txt").string();
  files.Reward("file = open('" + out + "', 'w')\n" + FunctionOf("file.write('hello'); return 1"));
  CHECK(ReadFile(out).value() == "hello");
}

TEST_CASE("Any thread may call, one at a time") {
  const UserFiles files;
  const auto reward = files.Load(
      "n = 0\ndef reward_function(params):\n    global n\n    n += 1\n"
      "    return n\n");
  REQUIRE(reward.ok());
  float last = 0;
  for (int i = 0; i < 4; ++i) std::thread([&] { last = files.Call(**reward); }).join();
  CHECK(last == 4.0F);
  CHECK(files.Call(**reward) == 5.0F);
}

TEST_CASE("The interpreter is the system's, without the user's environment") {
  const UserFiles files;
  // the order of a set of texts depends on the hash seed, which is fixed
  const std::string source =
      FunctionOf("return sum(i * ord(c) for i, c in enumerate({'a', 'b', 'c', 'd', 'e'}))");
  CHECK(files.Reward(source) == files.Reward(source));
  CHECK(files.Reward("import sys\n" + FunctionOf("return sys.flags.hash_randomization")) == 0.0F);
  CHECK(files.Reward("import sys\n" + FunctionOf("return sys.flags.ignore_environment")) == 1.0F);
  // Ctrl-C stays the program's own
  CHECK(files.Reward("import signal\n" + FunctionOf("return signal.default_int_handler in map("
                                                    "signal.getsignal, signal.valid_signals())")) ==
        0.0F);
}

}  // namespace
}  // namespace lapforge::reward
