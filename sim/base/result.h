// Result<T>: a value or the reason there is none. Set-up code returns it; a step never does.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "sim/base/assert.h"
#include "sim/base/strings.h"

namespace lapforge {

/// One line for the user: what failed, where, what was expected.
struct Error {
  std::string message;
};

/// Error whose message is the concatenation of `parts`, see StrCat.
template <class... Parts>
Error ErrorOf(const Parts&... parts) {
  return Error{StrCat(parts...)};
}

/// Either a T or an Error. Reading the wrong one is an assertion failure.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }

  /// The value; only when ok().
  const T& value() const& {
    LAPFORGE_ASSERT(ok(), error().message);
    return *std::get_if<0>(&state_);
  }
  T& value() & {
    LAPFORGE_ASSERT(ok(), error().message);
    return *std::get_if<0>(&state_);
  }
  /// Out of a temporary by value, so that `for (auto& x : Make().value())` does not dangle.
  T value() && { return std::move(value()); }

  /// The reason; only when not ok().
  const Error& error() const& {
    LAPFORGE_ASSERT(!ok(), "the result holds a value");
    return *std::get_if<1>(&state_);
  }
  Error error() && { return error(); }

  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T operator*() && { return std::move(value()); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

 private:
  std::variant<T, Error> state_;
};

/// Success or an Error. Default-constructed it is success.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }

  /// The reason; only when not ok().
  const Error& error() const {
    LAPFORGE_ASSERT(!ok(), "the result is success");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace lapforge

#define LAPFORGE_JOIN_(a, b) a##b
#define LAPFORGE_JOIN(a, b) LAPFORGE_JOIN_(a, b)
#define LAPFORGE_TRY_(result, declaration, ...)       \
  auto result = (__VA_ARGS__);                        \
  if (!result.ok()) return std::move(result).error(); \
  declaration = std::move(result).value()

/// Evaluates a Result expression, returns its Error from the enclosing function, or initializes
/// the declaration with its value: `LAPFORGE_TRY(const Track track, LoadTrack(path));`
#define LAPFORGE_TRY(declaration, ...) \
  LAPFORGE_TRY_(LAPFORGE_JOIN(lapforge_result_, __LINE__), declaration, __VA_ARGS__)

/// Evaluates a Result<void> expression and returns its Error from the enclosing function.
#define LAPFORGE_CHECK_OK(...)                                         \
  do {                                                                 \
    if (auto lapforge_result = (__VA_ARGS__); !lapforge_result.ok()) { \
      return ::lapforge::Error(std::move(lapforge_result).error());    \
    }                                                                  \
  } while (false)
