// Checkpoints as content-addressed blobs plus manifests, committed so that a crash at any moment
// leaves the old or the new one (spec/operations.md 1.2, steps 2 to 4 and 8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/storage/object_store.h"
#include "sim/base/result.h"

namespace lapforge::agents {

/// The length a log file had.
struct LogLength {
  std::string file;
  uint64_t bytes = 0;
};

struct StoredCheckpoint {
  int64_t iteration = 0;
  std::string state;
  std::vector<LogLength> logs;
};

/// The checkpoints of one run as one session sees them. Borrows the store. One thread; one session
/// writes at a time.
class CheckpointStore {
 public:
  explicit CheckpointStore(storage::ObjectStore* store) : store_(store) {}

  /// Blob under its SHA-256, then the manifest under its own, then LATEST. All but the newest
  /// `keep` (at least one) go after the new one has been read back whole. An error before that
  /// leaves the older ones as they were.
  Result<void> Commit(const StoredCheckpoint& checkpoint, int keep);

  /// The newest checkpoint whose manifest and blob verify; each damaged one is named in a warning
  /// and stepped over. Empty: none was ever committed. Errors: a newer version of Lapforge wrote
  /// here, or there are checkpoints but none is intact.
  Result<std::optional<StoredCheckpoint>> Newest();

 private:
  storage::ObjectStore* store_;
  std::string parent_;    // key of the manifest that this session goes on from
  uint32_t attempt_ = 0;  // 0: not known yet
};

}  // namespace lapforge::agents
