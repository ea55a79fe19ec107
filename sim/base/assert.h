// Assertions that stay on in every build: a broken invariant stops the program where it broke.
#pragma once

#include <string_view>

namespace lapforge::detail {

/// Prints "file:line: assertion failed: condition: message" to stderr and aborts.
[[noreturn]] void FailAssertion(std::string_view location, std::string_view condition,
                                std::string_view message);

}  // namespace lapforge::detail

#define LAPFORGE_TEXT_OF_(token) #token
#define LAPFORGE_TEXT_OF(token) LAPFORGE_TEXT_OF_(token)

/// Aborts with file, line, condition and message unless `condition` holds. The message is only
/// evaluated on failure, so it may be a StrCat. For misuse by a programmer; what a user can cause
/// is a Result.
#define LAPFORGE_ASSERT(condition, message)                                                     \
  (static_cast<bool>(condition)                                                                 \
       ? void(0)                                                                                \
       : ::lapforge::detail::FailAssertion(__FILE__ ":" LAPFORGE_TEXT_OF(__LINE__), #condition, \
                                           (message)))
