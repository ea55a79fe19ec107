#include "sim/base/options/value_text.h"

#include <cmath>

namespace lapforge {
namespace {

bool IsBounded(Range range) { return std::isfinite(range.low) || std::isfinite(range.high); }
bool IsBounded(IntRange range) {
  const IntRange all;
  return range.low != all.low || range.high != all.high;
}

// "0 .. 1"; one word where an end is open: "at least 0", "at most 1".
std::string RangeText(Range range) {
  if (!std::isfinite(range.high)) return StrCat("at least ", range.low);
  if (!std::isfinite(range.low)) return StrCat("at most ", range.high);
  return StrCat(range.low, " .. ", range.high);
}

std::string RangeText(IntRange range) {
  const IntRange all;
  if (range.high == all.high) return StrCat("at least ", range.low);
  if (range.low == all.low) return StrCat("at most ", range.high);
  return StrCat(range.low, " .. ", range.high);
}

template <class AnyRange>
std::string InRange(AnyRange range) {
  return IsBounded(range) ? StrCat(" (", RangeText(range), ")") : "";
}

template <class... Parts>
Error Expected(std::string_view path, std::string_view text, const Parts&... kind) {
  return ErrorOf(path, " = ", text, ": expected ", kind...);
}

template <class Value, class AnyRange>
Error OutsideError(std::string_view path, Value value, AnyRange range) {
  const std::string allowed = RangeText(range);
  const bool is_one_sided = StartsWith(allowed, "at ");
  return ErrorOf(path, " = ", value, is_one_sided ? " is not " : " is outside ", allowed);
}

}  // namespace

Result<void> CheckValue(std::string_view path, double value, Range range) {
  if (!std::isfinite(value)) return ErrorOf(path, " = ", value, " is not a finite number");
  if (value < range.low || value > range.high) return OutsideError(path, value, range);
  return {};
}

Result<void> CheckValue(std::string_view path, int64_t value, IntRange range) {
  if (value < range.low || value > range.high) return OutsideError(path, value, range);
  return {};
}

Result<double> ParseValue(std::string_view path, std::string_view text, Range range) {
  const std::optional<double> value = ParseDouble(text);
  if (!value) return Expected(path, text, "a number", InRange(range));
  LAPFORGE_CHECK_OK(CheckValue(path, *value, range));
  return *value;
}

Result<int64_t> ParseValue(std::string_view path, std::string_view text, IntRange range) {
  const std::optional<int64_t> value = ParseInt64(text);
  if (!value) return Expected(path, text, "a whole number", InRange(range));
  LAPFORGE_CHECK_OK(CheckValue(path, *value, range));
  return *value;
}

Result<uint64_t> ParseUint64Value(std::string_view path, std::string_view text) {
  const std::optional<uint64_t> value = ParseUint64(text);
  if (!value) return Expected(path, text, "a whole number (0 .. 18446744073709551615)");
  return *value;
}

Result<bool> ParseBoolValue(std::string_view path, std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return Expected(path, text, "true or false");
}

Result<std::string> ParseStringValue(std::string_view path, std::string_view text) {
  if (!StartsWith(text, "\"")) return std::string(text);
  std::optional<std::string> plain = UnquoteText(text);
  if (!plain) return Expected(path, text, "a text, with \\\" for a quote inside quotes");
  return *std::move(plain);
}

Result<int> ParseEnumValue(std::string_view path, std::string_view text,
                           std::span<const std::string_view> names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return static_cast<int>(i);
  }
  const std::vector<std::string> words(names.begin(), names.end());
  return Expected(path, text, "one of ", Join(words, ", "), DidYouMean(text, words));
}

Result<std::vector<std::string>> SplitList(std::string_view path, std::string_view text) {
  const std::string_view trimmed = Trim(text);
  if (trimmed.size() < 2 || trimmed.front() != '[' || trimmed.back() != ']') {
    return Expected(path, text, "a list in brackets, such as [1, 2, 3]");
  }
  const std::string_view inside = trimmed.substr(1, trimmed.size() - 2);
  std::vector<std::string> elements;
  if (Trim(inside).empty()) return elements;

  bool is_quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (is_quoted && inside[i] == '\\') {
      ++i;
    } else if (inside[i] == '"') {
      is_quoted = !is_quoted;
    } else if (inside[i] == ',' && !is_quoted) {
      elements.emplace_back(Trim(inside.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  elements.emplace_back(Trim(inside.substr(begin)));
  return elements;
}

std::string ElementPath(std::string_view path, size_t index) {
  return StrCat(path, "[", index, "]");
}

}  // namespace lapforge
