// TensorBoard event files: TFRecords (length, masked CRC-32C, bytes, masked CRC-32C) of Event
// messages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "agents/run_folder.h"
#include "sim/base/file_io.h"
#include "sim/base/result.h"

namespace lapforge::agents {

// Writes scalars. An empty file gets TensorBoard's file version first; one that has events gets a
// session start at its next row, so that curves of a resumed run do not overlap.
class EventLog {
 public:
  static Result<EventLog> Open(const std::filesystem::path& path);

  Result<void> Append(int64_t step, std::span<const Metric> metrics);

  AppendFile& file() { return file_; }

 private:
  explicit EventLog(AppendFile file) : file_(std::move(file)) {}

  AppendFile file_;
  bool has_started_ = false;
};

// "events.out.tfevents.<seconds>.<host>.<pid>": TensorBoard finds files by this name.
std::string FreshEventFileName();

}  // namespace lapforge::agents
