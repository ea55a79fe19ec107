// Reading of the protobuf messages that are whole files.
#pragma once

#include <string>

namespace lapforge {

/// Parses `bytes` and is true where they hold this message and nothing else. Protobuf itself takes
/// files of another kind and bytes behind the end: as fields that it does not know, or as fields
/// that come twice.
template <class Message>
bool ParseWholeMessage(const std::string& bytes, Message& message) {
  return message.ParseFromString(bytes) && message.ByteSizeLong() == bytes.size() &&
         message.GetReflection()->GetUnknownFields(message).empty();
}

}  // namespace lapforge
