// Text: concatenation, number formatting and parsing that ignore the locale, nearest names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lapforge {

namespace detail {
void AppendDouble(std::string& text, double value);
void AppendFloat(std::string& text, float value);
void AppendSigned(std::string& text, int64_t value);
void AppendUnsigned(std::string& text, uint64_t value);

template <class Part>
void AppendPart(std::string& text, const Part& part) {
  if constexpr (std::is_same_v<Part, bool>) {
    text += part ? "true" : "false";
  } else if constexpr (std::is_same_v<Part, char>) {
    text += part;
  } else if constexpr (std::is_same_v<Part, float>) {
    AppendFloat(text, part);
  } else if constexpr (std::is_floating_point_v<Part>) {
    AppendDouble(text, part);
  } else if constexpr (std::is_signed_v<Part>) {
    AppendSigned(text, part);
  } else if constexpr (std::is_unsigned_v<Part>) {
    AppendUnsigned(text, part);
  } else if constexpr (requires { part.string(); }) {
    text += part.string();
  } else {
    text += std::string_view(part);
  }
}
}  // namespace detail

/// Concatenates texts, characters, bools ("true"), integers, file paths, and floating-point
/// numbers in the shortest form that reads back to the same bits.
template <class... Parts>
std::string StrCat(const Parts&... parts) {
  std::string text;
  (detail::AppendPart(text, parts), ...);
  return text;
}

/// `value` with exactly `digits` decimals, rounded to nearest: FormatFixed(2.5, 3) is "2.500".
std::string FormatFixed(double value, int digits);

/// The pieces between separators; always at least one, empty pieces included. Views into `text`.
std::vector<std::string_view> Split(std::string_view text, char separator);

/// The pieces joined with `separator` between them.
std::string Join(std::span<const std::string> pieces, std::string_view separator);

/// `text` without white space (space, tab, newline, carriage return) at both ends. A view.
std::string_view Trim(std::string_view text);

inline bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix);
}
inline bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.ends_with(suffix);
}

/// The whole of `text` as a number, or nothing: no white space, no rest, nothing that overflows.
/// "nan" and "inf" are read as such; a leading plus sign is allowed.
std::optional<double> ParseDouble(std::string_view text);

/// The whole of `text` as a decimal integer, or nothing.
std::optional<int64_t> ParseInt64(std::string_view text);
std::optional<uint64_t> ParseUint64(std::string_view text);

/// `text` in double quotes with C escapes, one line, as protobuf's text format reads it.
std::string QuoteText(std::string_view text);

/// Undoes QuoteText; nothing when `text` is not one well-formed quoted text.
std::optional<std::string> UnquoteText(std::string_view text);

/// The one of `names` that a person who typed `wanted` plausibly meant: the only one it is a prefix
/// or suffix of, one a few typing errors away (Damerau-Levenshtein, whole name or the part behind
/// its last dot), or the only one it abbreviates ("lr" for "learning_rate").
std::optional<std::string> NearestName(std::string_view wanted, std::span<const std::string> names);

/// " (did you mean 'x'?)" with the nearest name, or "" when none is near; ends an error message.
std::string DidYouMean(std::string_view wanted, std::span<const std::string> names);

}  // namespace lapforge
