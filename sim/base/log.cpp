#include "sim/base/log.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <utility>

namespace lapforge {
namespace {

std::atomic<LogLevel> max_level = LogLevel::kInfo;

struct SinkState {
  std::mutex mutex;
  LogSink sink;
};

// Never destroyed, so that destructors of static objects may still log.
SinkState& TheSink() {
  static SinkState& state = *new SinkState;
  return state;
}

std::string_view LevelPrefix(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return "error: ";
    case LogLevel::kWarning:
      return "warning: ";
    case LogLevel::kInfo:
      return "";
    case LogLevel::kDebug:
      return "debug: ";
  }
  return "";
}

}  // namespace

void SetLogLevel(LogLevel level) { max_level = level; }

bool IsLogged(LogLevel level) { return level <= max_level; }

void SetLogSink(LogSink sink) {
  SinkState& state = TheSink();
  const std::lock_guard lock(state.mutex);
  state.sink = std::move(sink);
}

void Log(LogLevel level, std::string_view message) {
  if (!IsLogged(level)) return;
  std::string line = StrCat(LevelPrefix(level), message);
  std::replace(line.begin(), line.end(), '\n', ' ');

  SinkState& state = TheSink();
  const std::lock_guard lock(state.mutex);
  if (state.sink) {
    state.sink(level, line);
  } else {
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
}

}  // namespace lapforge
