#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

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

Result<EventLog> EventLog::Open(const std::filesystem::path& path, EventSession session) {
  LAPFORGE_TRY(AppendFile file, AppendFile::Open(path));
  return EventLog(std::move(file), session);
}

Result<void> EventLog::Append(int64_t step, std::span<const Metric> metrics) {
  const double now_s = UnixSeconds();
  std::string records;
  if (!has_started_) {
    tfevents::Event version;
    version.set_wall_time(now_s);
    version.set_file_version("brain.Event:2");
    records = RecordOf(version);
  }
  if (!has_started_ && session_ == EventSession::kResumed) {
    tfevents::Event start;
    start.set_wall_time(now_s);
    start.set_step(step);
    start.mutable_session_log()->set_status(tfevents::SessionLog::START);
    records += RecordOf(start);
  }
  tfevents::Event event;
  event.set_wall_time(now_s);
  event.set_step(step);
  for (const Metric& metric : metrics) {
    if (std::isnan(metric.value)) continue;
    tfevents::Summary::Value* const value = event.mutable_summary()->add_value();
    value->set_tag(metric.name);
    value->set_simple_value(static_cast<float>(metric.value));
  }
  LAPFORGE_CHECK_OK(file_.Append(records + RecordOf(event)));
  has_started_ = true;
  return {};
}

std::string FreshEventFileName(std::string_view last_name) {
  auto seconds = static_cast<int64_t>(UnixSeconds());

  // two sessions in one second, or a clock that was set back
  if (StartsWith(last_name, kEventPrefix)) {
    const std::string_view rest = last_name.substr(kEventPrefix.size());
    const auto last_seconds = ParseInt64(rest.substr(0, rest.find('.')));
    if (last_seconds) seconds = std::max(seconds, *last_seconds + 1);
  }
  char host[256] = "localhost";
  gethostname(host, sizeof(host) - 1);
  return StrCat(kEventPrefix, seconds, ".", std::string_view(host), ".", int64_t{getpid()});
}

}  // namespace lapforge::agents
