// What kind of track file some bytes are.
#pragma once

#include <string_view>

namespace lapforge::tracks {

enum class FileKind { kNpy, kCsv, kMap, kTextproto, kImage, kUnknown };

// Decides by content; where that says nothing, a text is what the ending of `file_name` says, and
// Lapforge's own format otherwise.
FileKind KindOf(std::string_view bytes, std::string_view file_name);

}  // namespace lapforge::tracks
