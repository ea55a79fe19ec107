#include <unistd.h>

#include <chrono>

#include "agents/metrics/event_log.h"
#include "agents/proto/tfevents.pb.h"
#include "sim/base/crc32.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

double UnixSeconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string_view BytesOf(const auto& number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

// TFRecord stores checksums rotated and shifted, so that the CRC of a record with CRCs in it stays
// useful.
uint32_t MaskedCrc(std::string_view bytes) {
  const uint32_t crc = Crc32c(std::as_bytes(std::span(bytes)));
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

std::string RecordOf(const tfevents::Event& event) {
  const std::string payload = event.SerializeAsString();
  const uint64_t size = payload.size();
  const uint32_t size_crc = MaskedCrc(BytesOf(size));
  const uint32_t payload_crc = MaskedCrc(payload);
  return StrCat(BytesOf(size), BytesOf(size_crc), payload, BytesOf(payload_crc));
}

}  // namespace

Result<EventLog> EventLog::Open(const std::filesystem::path& path) {
  LAPFORGE_TRY(AppendFile file, AppendFile::Open(path));
  return EventLog(std::move(file));
}

Result<void> EventLog::Append(int64_t step, std::span<const Metric> metrics) {
  std::string records;
  if (!has_started_) {
    tfevents::Event start;
    start.set_wall_time(UnixSeconds());
    if (file_.size() == 0) {
      start.set_file_version("brain.Event:2");
    } else {
      start.set_step(step);
      start.mutable_session_log()->set_status(tfevents::SessionLog::START);
    }
    records = RecordOf(start);
  }
  tfevents::Event event;
  event.set_wall_time(UnixSeconds());
  event.set_step(step);
  for (const Metric& metric : metrics) {
    tfevents::Summary::Value* const value = event.mutable_summary()->add_value();
    value->set_tag(metric.name);
    value->set_simple_value(static_cast<float>(metric.value));
  }
  LAPFORGE_CHECK_OK(file_.Append(records + RecordOf(event)));
  has_started_ = true;
  return {};
}

std::string FreshEventFileName() {
  char host[256] = "localhost";
  gethostname(host, sizeof(host) - 1);
  return StrCat("events.out.tfevents.", static_cast<int64_t>(UnixSeconds()), ".",
                std::string_view(host), ".", int64_t{getpid()});
}

}  // namespace lapforge::agents
