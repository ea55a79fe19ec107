// Checkpoints as content-addressed blobs plus manifests, committed so that a crash at any moment
// leaves the old or the new one (spec/operations.md 1.2, steps 2 to 4 and 8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/storage/object_store.h"
#include "sim/base/result.h"

namespace lapforge::agents {

// The length a log file had.
struct LogLength {
  std::string file;
  uint64_t bytes = 0;
};

struct StoredCheckpoint {
  int64_t iteration = 0;
  std::string state;
  std::vector<LogLength> logs;
};

// Blob under its SHA-256, then the manifest, then LATEST; then older ones than the newest `keep`
// go.
Result<void> CommitCheckpoint(storage::ObjectStore& store, const StoredCheckpoint& checkpoint,
                              int keep);

// The newest checkpoint whose manifest and blob verify; each damaged one is named in a warning and
// stepped over. Empty: there is none. An error where a newer version of Lapforge wrote it.
Result<std::optional<StoredCheckpoint>> NewestCheckpoint(storage::ObjectStore& store);

}  // namespace lapforge::agents
