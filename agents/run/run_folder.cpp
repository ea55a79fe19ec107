#include "agents/run_folder.h"

#include <algorithm>
#include <map>
#include <system_error>

#include "agents/metrics/csv_log.h"
#include "agents/metrics/event_log.h"
#include "agents/run/checkpoint_store.h"
#include "agents/run/run_lock.h"
#include "agents/storage/object_store.h"
#include "sim/base/file_io.h"
#include "sim/base/log.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

namespace fs = std::filesystem;

constexpr char kMetricsName[] = "metrics";
constexpr char kLockName[] = "lock";
constexpr char kOptionsName[] = "options.textproto";

std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Name of the newest event file in the folder; empty: none.
std::string LastEventFile(const fs::path& folder) {
  std::string last;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (StartsWith(name, kEventPrefix)) last = std::max(last, name);
  }
  return last;
}

// Clears away what writers left that were killed; only with the lock held.
void RemoveTemporaries(const fs::path& folder) {
  std::vector<fs::path> left;
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (StartsWith(entry->path().filename().string(), kTemporaryPrefix)) {
      left.push_back(entry->path());
    }
  }
  for (const fs::path& path : left) fs::remove(path, error);
}

// True where a run may be made: a lone lock is left by one that never began.
Result<bool> IsEmptyFolder(const fs::path& folder) {
  std::error_code error;
  auto entry = fs::directory_iterator(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().filename() != kLockName) return false;
  }
  if (error) return ErrorOf("cannot read the folder '", folder, "': ", error.message());
  return true;
}

// "track_2.npy"
bool IsTrackCopy(std::string_view name) {
  return StartsWith(name, "track_") && EndsWith(name, ".npy");
}

}  // namespace

bool IsFileOfRun(const fs::path& path) {
  constexpr std::string_view kOwnNames[] = {kOptionsName,
                                            "reward_function.py",
                                            "reward.so",
                                            "reward_modules",
                                            "reward_errors.txt",
                                            "raceline.csv",
                                            "track.npy",
                                            "inputs.xxh64",
                                            "metrics.csv",
                                            "evaluations.csv",
                                            "evaluation_laps.csv",
                                            "checkpoints",
                                            "best.policy",
                                            "last.policy",
                                            "model_metadata.json",
                                            "hyperparameters.json",
                                            "deepracer",
                                            "best_lap.png",
                                            kLockName};
  std::error_code error;
  const fs::path file = fs::weakly_canonical(fs::absolute(path, error), error);
  for (fs::path folder = file.parent_path(); folder != folder.root_path();
       folder = folder.parent_path()) {
    if (!fs::exists(folder / kOptionsName, error)) continue;
    const fs::path name = file.lexically_relative(folder);
    const std::string first = name.begin()->string();
    return std::count(std::begin(kOwnNames), std::end(kOwnNames), first) > 0 ||
           StartsWith(first, kEventPrefix) || IsTrackCopy(first) || name == "recordings/best.lfrec";
  }
  return false;
}

class RunFolder::Impl {
 public:
  // Another thread may use the store while a user's code has gone to another folder.
  static Result<std::unique_ptr<Impl>> Make(const fs::path& path) {
    LAPFORGE_TRY(std::unique_ptr<storage::ObjectStore> store,
                 storage::OpenStore(fs::absolute(path).string()));
    return std::make_unique<Impl>(path, std::move(store));
  }

  Impl(fs::path folder, std::unique_ptr<storage::ObjectStore> object_store)
      : path(std::move(folder)), store(std::move(object_store)), checkpoints(store.get()) {}

  Result<void> CheckWritable() const {
    if (lock) return {};
    return ErrorOf("the run '", path, "' was opened for reading only");
  }

  Result<void> AppendRow(const std::string& name, std::span<const Metric> columns) {
    LAPFORGE_CHECK_OK(CheckWritable());
    auto found = csv_logs.find(name);
    if (found == csv_logs.end()) {
      const std::string file = name + ".csv";
      LAPFORGE_CHECK_OK(PrepareLog(file));
      LAPFORGE_TRY(CsvLog log, CsvLog::Open(path / file));
      found = csv_logs.emplace(name, std::move(log)).first;
    }
    return found->second.Append(columns);
  }

  Result<void> AppendEvents(int64_t env_steps, std::span<const Metric> metrics) {
    if (!events) {
      const std::string last_file = LastEventFile(path);
      event_file = FreshEventFileName(last_file);
      const auto session = last_file.empty() ? EventSession::kFirst : EventSession::kResumed;
      LAPFORGE_TRY(EventLog log, EventLog::Open(path / event_file, session));
      events.emplace(std::move(log));
    }
    return events->Append(env_steps, metrics);
  }

  // How long everything logged so far made the files.
  std::vector<LogLength> NoteLogs() {
    for (auto& [name, log] : csv_logs) log_bytes[name + ".csv"] = log.file().size();
    if (events) log_bytes[event_file] = events->file().size();
    std::vector<LogLength> lengths;
    for (const auto& [file, bytes] : log_bytes) lengths.push_back({file, bytes});
    return lengths;
  }

  // The logs that are open: they stay where they are in memory until the run goes back.
  std::vector<AppendFile*> OpenLogs() {
    std::vector<AppendFile*> files;
    for (auto& [name, log] : csv_logs) files.push_back(&log.file());
    if (events) files.push_back(&events->file());
    return files;
  }

  // Cuts the logs back to the lengths they had; other logs start anew when they are next written.
  Result<void> GoBack(const std::vector<LogLength>& lengths) {
    csv_logs.clear();
    events.reset();
    log_bytes.clear();
    has_gone_back = true;
    for (const LogLength& log : lengths) {
      LAPFORGE_TRY(AppendFile file, AppendFile::Open(path / log.file));
      if (file.size() < log.bytes) {
        LogWarning(path / log.file, " is shorter than its checkpoint says: rows are missing");
      } else {
        LAPFORGE_CHECK_OK(file.Truncate(log.bytes));
      }
      log_bytes[log.file] = file.size();
    }
    return {};
  }

  fs::path path;
  std::optional<RunLock> lock;  // absent when reading
  std::unique_ptr<storage::ObjectStore> store;
  CheckpointStore checkpoints;

 private:
  // A log that the checkpoint does not know was begun after it, by a session that was killed.
  Result<void> PrepareLog(const std::string& file) {
    if (!has_gone_back || log_bytes.contains(file)) return {};
    LAPFORGE_TRY(AppendFile log, AppendFile::Open(path / file));
    return log.Truncate(0);
  }

  bool has_gone_back = false;
  std::map<std::string, uint64_t> log_bytes;  // by file; of open ones, as last noted
  std::map<std::string, CsvLog> csv_logs;     // by name without ".csv"
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
  LAPFORGE_CHECK_OK(MakeFolders(path));
  LAPFORGE_TRY(const bool is_empty, IsEmptyFolder(path));
  if (!is_empty) {
    return ErrorOf("the folder '", path,
                   "' is not empty; take another name, or go on with the run in it by --continue");
  }
  LAPFORGE_TRY(std::unique_ptr<Impl> impl, Impl::Make(path));
  LAPFORGE_TRY(RunLock lock, RunLock::Take(path / kLockName));
  impl->lock.emplace(std::move(lock));
  return std::unique_ptr<RunFolder>(new RunFolder(std::move(impl)));
}

Result<std::unique_ptr<RunFolder>> RunFolder::OpenForReading(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return ErrorOf("there is no run folder '", path, "'");
  if (!fs::is_directory(path, error)) {
    return ErrorOf("'", path, "' is neither a run folder nor a .policy file");
  }
  if (!fs::exists(path / kOptionsName, error)) {
    return ErrorOf("'", path, "' is not a run folder: it has no options.textproto");
  }
  LAPFORGE_TRY(std::unique_ptr<Impl> impl, Impl::Make(path));
  return std::unique_ptr<RunFolder>(new RunFolder(std::move(impl)));
}

Result<std::unique_ptr<RunFolder>> RunFolder::OpenForWriting(const fs::path& path) {
  LAPFORGE_TRY(std::unique_ptr<RunFolder> folder, OpenForReading(path));
  LAPFORGE_TRY(RunLock lock, RunLock::Take(path / kLockName));
  folder->impl_->lock.emplace(std::move(lock));
  RemoveTemporaries(path);
  return folder;
}

const fs::path& RunFolder::path() const { return impl_->path; }

Result<void> RunFolder::WriteText(const std::string& name, std::string_view text) {
  LAPFORGE_CHECK_OK(impl_->CheckWritable());
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
  LAPFORGE_CHECK_OK(impl_->AppendRow(kMetricsName, row));
  return impl_->AppendEvents(env_steps, metrics);
}

Result<void> RunFolder::LogRow(const std::string& name, std::span<const Metric> columns) {
  if (name.empty() || name == kMetricsName || name.find('/') != name.npos) {
    return ErrorOf("bad log name '", name, "': expected a plain name other than '", kMetricsName,
                   "'");
  }
  return impl_->AppendRow(name, columns);
}

Result<void> RunFolder::SaveCheckpoint(const Checkpoint& checkpoint, int keep) {
  LAPFORGE_TRY(const auto commit, PrepareCheckpoint(checkpoint, keep));
  return commit();
}

Result<std::function<Result<void>()>> RunFolder::PrepareCheckpoint(const Checkpoint& checkpoint,
                                                                   int keep) {
  LAPFORGE_CHECK_OK(impl_->CheckWritable());
  StoredCheckpoint stored{checkpoint.iteration, std::string(TextOf(checkpoint.state)),
                          impl_->NoteLogs()};
  return std::function<Result<void>()>(
      [this, keep, stored = std::move(stored), logs = impl_->OpenLogs()]() -> Result<void> {
        for (AppendFile* const log : logs) LAPFORGE_CHECK_OK(log->Sync());
        return impl_->checkpoints.Commit(stored, keep);
      });
}

Result<std::optional<Checkpoint>> RunFolder::LoadCheckpoint() {
  LAPFORGE_TRY(const std::optional<StoredCheckpoint> stored, impl_->checkpoints.Newest());
  if (impl_->lock) {
    LAPFORGE_CHECK_OK(impl_->GoBack(stored ? stored->logs : std::vector<LogLength>()));
  }
  if (!stored) return std::optional<Checkpoint>();
  const auto bytes = std::as_bytes(std::span(stored->state));
  return std::optional(Checkpoint{stored->iteration, {bytes.begin(), bytes.end()}});
}

}  // namespace lapforge::agents
