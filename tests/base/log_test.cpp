// Tests log levels, the redirect, one line per message, and logging from several threads.
#include "sim/base/log.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace lapforge {
namespace {

// Collects lines while it lives, then restores the default log.
struct CapturedLog {
  CapturedLog() {
    SetLogSink([this](LogLevel, std::string_view line) { lines.emplace_back(line); });
  }
  ~CapturedLog() {
    SetLogSink({});
    SetLogLevel(LogLevel::kInfo);
  }
  std::vector<std::string> lines;
};

TEST_CASE("Messages above the level are dropped, the others name their level") {
  CapturedLog log;
  const auto log_all = [] {
    LogError("e", 1);
    LogWarning("w", 2.5);
    LogInfo("i");
    LogDebug("d");
  };
  log_all();
  CHECK(log.lines == std::vector<std::string>{"error: e1", "warning: w2.5", "i"});
  log.lines.clear();
  SetLogLevel(LogLevel::kError);
  log_all();
  CHECK(log.lines == std::vector<std::string>{"error: e1"});
  log.lines.clear();
  SetLogLevel(LogLevel::kDebug);
  log_all();
  CHECK(log.lines.size() == 4);
  CHECK(log.lines.back() == "debug: d");
}

TEST_CASE("A message stays on one line") {
  CapturedLog log;
  LogInfo("two\nlines");
  CHECK(log.lines == std::vector<std::string>{"two lines"});
}

TEST_CASE("Lines of several threads arrive whole and all") {
  constexpr int kNumThreads = 4, kNumLines = 500;
  CapturedLog log;
  std::vector<std::thread> threads;
  for (int t = 0; t < kNumThreads; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < kNumLines; ++i) LogInfo("line");
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(log.lines == std::vector<std::string>(kNumThreads * kNumLines, "line"));
}

}  // namespace
}  // namespace lapforge
