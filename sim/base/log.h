// The program's log: one line per message to stderr, or to a sink that draws around it.
// The only process-wide state of the project. All functions may be called from any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sim/base/strings.h"

namespace lapforge {

enum class LogLevel { kError, kWarning, kInfo, kDebug };

/// Messages above `level` are dropped. kInfo at start; kError is quiet, kDebug is verbose.
void SetLogLevel(LogLevel level);

/// Receives each line, with its "warning: " and without a newline, in the place of stderr. Calls
/// come one at a time, from whichever thread logs; a sink must not log.
using LogSink = std::function<void(LogLevel level, std::string_view line)>;

/// Replaces the sink; an empty one restores stderr. When it returns, the old sink is not running.
void SetLogSink(LogSink sink);

/// True when messages of `level` are kept: for messages that are costly to build.
bool IsLogged(LogLevel level);

/// Logs one message; newlines inside become spaces. Prefer the functions below.
void Log(LogLevel level, std::string_view message);

/// Log the concatenation of `parts`, see StrCat, built only when the level is kept.
template <class... Parts>
void LogError(const Parts&... parts) {
  if (IsLogged(LogLevel::kError)) Log(LogLevel::kError, StrCat(parts...));
}
template <class... Parts>
void LogWarning(const Parts&... parts) {
  if (IsLogged(LogLevel::kWarning)) Log(LogLevel::kWarning, StrCat(parts...));
}
template <class... Parts>
void LogInfo(const Parts&... parts) {
  if (IsLogged(LogLevel::kInfo)) Log(LogLevel::kInfo, StrCat(parts...));
}
template <class... Parts>
void LogDebug(const Parts&... parts) {
  if (IsLogged(LogLevel::kDebug)) Log(LogLevel::kDebug, StrCat(parts...));
}

}  // namespace lapforge
