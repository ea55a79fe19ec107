// Options structs from protobuf text files (.textproto), checked against a schema.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "sim/base/result.h"

namespace lapforge::sim {

// Receives one field of the text: its dotted path and its value as SetOption reads it. A repeated
// field arrives once, as "[a, b, c]".
using OptionSetter = std::function<Result<void>(const std::string& path, const std::string& value)>;

// Parses `text` as the message `schema_name` (for example "lapforge.sim.SimOptions", compiled into
// the program) and hands every field that is present to `setter`. Errors are one line with
// `source`, line and column, the key and the nearest known key.
Result<void> ParseOptionsText(std::string_view text, const std::string& source,
                              std::string_view schema_name, const OptionSetter& setter);

}  // namespace lapforge::sim
