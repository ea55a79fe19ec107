#include "agents/run_folder.h"

#include <algorithm>
#include <map>
#include <system_error>

#include "agents/metrics/csv_log.h"
#include "agents/metrics/event_log.h"
#include "agents/run/checkpoint_store.h"
#include "agents/run/run_lock.h"
#include "agents/storage/object_store.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

namespace fs = std::filesystem;

constexpr char kMetricsName[] = "metrics";
constexpr char kEventPrefix[] = "events.out.tfevents.";

std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool IsLogFile(const std::string& name) {
  return EndsWith(name, ".csv") || StartsWith(name, kEventPrefix);
}

// Names of the log files in the folder, sorted.
std::vector<std::string> LogFilesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (IsLogFile(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

class RunFolder::Impl {
 public:
  explicit Impl(fs::path folder) : path(std::move(folder)) {}

  Result<CsvLog*> Csv(const std::string& name) {
    const auto found = csv_logs.find(name);
    if (found != csv_logs.end()) return &found->second;
    LAPFORGE_TRY(CsvLog log, CsvLog::Open(path / (name + ".csv")));
    return &csv_logs.emplace(name, std::move(log)).first->second;
  }

  Result<EventLog*> Events() {
    if (!events) {
      for (const std::string& name : LogFilesIn(path)) {
        if (StartsWith(name, kEventPrefix)) event_file = name;
      }
      if (event_file.empty()) event_file = FreshEventFileName();
      LAPFORGE_TRY(EventLog log, EventLog::Open(path / event_file));
      events.emplace(std::move(log));
    }
    return &*events;
  }

  // Everything logged so far on disk, and how long that made the files.
  Result<std::vector<LogLength>> SyncLogs() {
    for (auto& [name, log] : csv_logs) LAPFORGE_CHECK_OK(log.file().Sync());
    if (events) LAPFORGE_CHECK_OK(events->file().Sync());
    std::vector<LogLength> lengths;
    for (const std::string& name : LogFilesIn(path)) {
      std::error_code error;
      const uint64_t bytes = fs::file_size(path / name, error);
      if (error) return ErrorOf("cannot read '", path / name, "': ", error.message());
      lengths.push_back({name, bytes});
    }
    return lengths;
  }

  // Cuts the logs back to the lengths they had; those without a length to nothing.
  Result<void> CutLogs(const std::vector<LogLength>& lengths) {
    csv_logs.clear();
    events.reset();
    std::map<std::string, uint64_t> wanted;
    for (const LogLength& log : lengths) wanted[log.file] = log.bytes;
    for (const std::string& name : LogFilesIn(path)) {
      LAPFORGE_TRY(AppendFile file, AppendFile::Open(path / name));
      LAPFORGE_CHECK_OK(file.Truncate(wanted[name]));
    }
    return {};
  }

  fs::path path;
  std::optional<RunLock> lock;  // absent when reading
  std::unique_ptr<storage::ObjectStore> store;
  std::map<std::string, CsvLog> csv_logs;  // by name without ".csv"
  std::optional<EventLog> events;
  std::string event_file;
};

RunFolder::RunFolder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunFolder::~RunFolder() = default;

Result<std::unique_ptr<RunFolder>> RunFolder::Create(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error)) {
    return ErrorOf("cannot make the run folder '", path, "': there is a file of this name");
  }
  if (fs::exists(path, error) && !fs::is_empty(path, error)) {
    return ErrorOf("the folder '", path,
                   "' is not empty; take another name, or go on with the run in it by --continue");
  }
  LAPFORGE_CHECK_OK(MakeFolders(path));
  auto impl = std::make_unique<Impl>(path);
  LAPFORGE_TRY(RunLock lock, RunLock::Take(path));
  impl->lock.emplace(std::move(lock));
  LAPFORGE_TRY(impl->store, storage::OpenStore(path.string()));
  return std::unique_ptr<RunFolder>(new RunFolder(std::move(impl)));
}

Result<std::unique_ptr<RunFolder>> RunFolder::OpenForReading(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return ErrorOf("there is no run folder '", path, "'");
  if (!fs::exists(path / "options.textproto", error)) {
    return ErrorOf("'", path, "' is not a run folder: it has no options.textproto");
  }
  auto impl = std::make_unique<Impl>(path);
  LAPFORGE_TRY(impl->store, storage::OpenStore(path.string()));
  return std::unique_ptr<RunFolder>(new RunFolder(std::move(impl)));
}

Result<std::unique_ptr<RunFolder>> RunFolder::OpenForWriting(const fs::path& path) {
  LAPFORGE_TRY(std::unique_ptr<RunFolder> folder, OpenForReading(path));
  LAPFORGE_TRY(RunLock lock, RunLock::Take(path));
  folder->impl_->lock.emplace(std::move(lock));
  return folder;
}

const fs::path& RunFolder::path() const { return impl_->path; }

Result<void> RunFolder::WriteText(const std::string& name, std::string_view text) {
  return impl_->store->Put(name, text);
}

Result<std::string> RunFolder::ReadText(const std::string& name) const {
  return impl_->store->Get(name);
}

bool RunFolder::Has(const std::string& name) const {
  const Result<bool> exists = impl_->store->Exists(name);
  return exists.ok() && *exists;
}

Result<void> RunFolder::LogMetrics(int64_t env_steps, std::span<const Metric> metrics) {
  std::vector<Metric> row = {{"env_steps", static_cast<double>(env_steps)}};
  row.insert(row.end(), metrics.begin(), metrics.end());
  LAPFORGE_CHECK_OK(LogRow(kMetricsName, row));
  LAPFORGE_TRY(EventLog* const events, impl_->Events());
  return events->Append(env_steps, metrics);
}

Result<void> RunFolder::LogRow(const std::string& name, std::span<const Metric> columns) {
  LAPFORGE_TRY(CsvLog* const log, impl_->Csv(name));
  return log->Append(columns);
}

Result<void> RunFolder::SaveCheckpoint(const Checkpoint& checkpoint, int keep) {
  LAPFORGE_TRY(std::vector<LogLength> lengths, impl_->SyncLogs());
  return CommitCheckpoint(
      *impl_->store,
      {checkpoint.iteration, std::string(TextOf(checkpoint.state)), std::move(lengths)}, keep);
}

Result<std::optional<Checkpoint>> RunFolder::LoadCheckpoint() {
  LAPFORGE_TRY(const std::optional<StoredCheckpoint> stored, NewestCheckpoint(*impl_->store));
  LAPFORGE_CHECK_OK(impl_->CutLogs(stored ? stored->logs : std::vector<LogLength>()));
  if (!stored) return std::optional<Checkpoint>();
  const auto bytes = std::as_bytes(std::span(stored->state));
  return std::optional(Checkpoint{stored->iteration, {bytes.begin(), bytes.end()}});
}

}  // namespace lapforge::agents
