// TensorBoard event files: TFRecords (length, masked CRC-32C, bytes, masked CRC-32C) of Event
// messages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "agents/run_folder.h"
#include "sim/base/file_io.h"
#include "sim/base/result.h"

namespace lapforge::agents {

/// Whether curves begin here or go on from an earlier session's file.
enum class EventSession { kFirst, kResumed };

/// Writes scalars, one file a session: TensorBoard goes from one file to the next and does not
/// notice that one was cut. A resumed session says so at its first row, so that TensorBoard drops
/// what an earlier one wrote from that step on. Reads the clock, for the events' wall time only.
class EventLog {
 public:
  /// Starts the file.
  static Result<EventLog> Open(const std::filesystem::path& path, EventSession session);

  /// `step` counts env steps; values are stored as float.
  Result<void> Append(int64_t step, std::span<const Metric> metrics);

  AppendFile& file() { return file_; }

 private:
  EventLog(AppendFile file, EventSession session) : file_(std::move(file)), session_(session) {}

  AppendFile file_;
  EventSession session_;
  bool has_started_ = false;
};

/// How the names of event files start; TensorBoard finds them by it.
inline constexpr std::string_view kEventPrefix = "events.out.tfevents.";

/// "events.out.tfevents.<seconds>.<host>.<pid>", later in the order of names than `last_name`
/// (empty: none), because TensorBoard reads a run's files in that order.
std::string FreshEventFileName(std::string_view last_name);

}  // namespace lapforge::agents
