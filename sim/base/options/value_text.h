// One option value and its text: parsing with the expected kind in the error, range checks,
// printing. An error is the end of a sentence that begins with the option's path.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/option_fields.h"
#include "sim/base/result.h"

namespace lapforge {

/// Success when the number is finite and in range, else "x = 7 is outside 0 .. 1" with x = path.
Result<void> CheckValue(std::string_view path, double value, Range range);
Result<void> CheckValue(std::string_view path, int64_t value, IntRange range);

/// The value in `text`, in range, or "x = fast: expected a number in 0 .. 1".
Result<double> ParseValue(std::string_view path, std::string_view text, Range range);
Result<int64_t> ParseValue(std::string_view path, std::string_view text, IntRange range);
Result<uint64_t> ParseUint64Value(std::string_view path, std::string_view text);
Result<bool> ParseBoolValue(std::string_view path, std::string_view text);
Result<std::string> ParseStringValue(std::string_view path, std::string_view text);
Result<int> ParseEnumValue(std::string_view path, std::string_view text,
                           std::span<const std::string_view> names);

/// The elements of "[a, b]", trimmed; commas inside double quotes do not separate.
Result<std::vector<std::string>> SplitList(std::string_view path, std::string_view text);

/// "path[index]".
std::string ElementPath(std::string_view path, size_t index);

}  // namespace lapforge
