#include <algorithm>
#include <set>

#include "agents/proto/checkpoint.pb.h"
#include "agents/run/checkpoint_store.h"
#include "agents/storage/sha256.h"
#include "sim/base/crc32.h"
#include "sim/base/log.h"
#include "sim/base/strings.h"
#include "sim/base/whole_message.h"

namespace lapforge::agents {
namespace {

using proto::CheckpointManifest;

constexpr uint32_t kFormatVersion = 1;
constexpr char kManifestPrefix[] = "checkpoints/manifests/";
constexpr char kBlobPrefix[] = "checkpoints/blobs/";
constexpr char kLatestKey[] = "checkpoints/LATEST";

uint32_t CrcOf(std::string_view bytes) { return Crc32c(std::as_bytes(std::span(bytes))); }

std::string Seal(const CheckpointManifest& manifest) {
  proto::SealedManifest sealed;
  sealed.set_manifest(manifest.SerializeAsString());
  sealed.set_crc32c(CrcOf(sealed.manifest()));
  return sealed.SerializeAsString();
}

std::optional<CheckpointManifest> Unseal(const std::string& bytes) {
  proto::SealedManifest sealed;
  CheckpointManifest manifest;
  const bool is_whole = ParseWholeMessage(bytes, sealed) &&
                        sealed.crc32c() == CrcOf(sealed.manifest()) &&
                        manifest.ParseFromString(sealed.manifest()) &&
                        manifest.format_version() > 0;  // an empty file parses too
  if (!is_whole) return std::nullopt;
  return manifest;
}

// Names start with the sequence, so that a file that cannot be read still counts: a commit beside
// it gets a higher one. Which checkpoint is the newest is told by the contents alone.
std::string ManifestKey(const CheckpointManifest& manifest, const std::string& sealed) {
  constexpr size_t kDigits = 12;
  const std::string number = StrCat(manifest.sequence());
  const size_t num_zeros = kDigits - std::min(kDigits, number.size());
  return StrCat(kManifestPrefix, std::string(num_zeros, '0'), number, "-",
                storage::Sha256Hex(sealed));
}

// 0 for names that are none of ours.
uint64_t SequenceInKey(std::string_view key) {
  const std::string_view name = key.substr(std::string_view(kManifestPrefix).size());
  return ParseUint64(name.substr(0, name.find('-'))).value_or(0);
}

struct ManifestFile {
  std::string key;
  CheckpointManifest manifest;
};

// What the store holds, sorted out.
struct ManifestList {
  std::vector<ManifestFile> sound;      // newest first
  std::vector<std::string> damaged;     // keys
  std::vector<std::string> unreadable;  // keys; they may be readable again later
  uint64_t last_sequence = 0;           // of all of these

  size_t size() const { return sound.size() + damaged.size() + unreadable.size(); }
};

// An error where a newer version wrote: what it means is not ours to guess, nor to delete.
Result<ManifestList> ReadManifests(storage::ObjectStore& store) {
  ManifestList list;
  LAPFORGE_TRY(const std::vector<std::string> keys, store.List(kManifestPrefix));
  for (const std::string& key : keys) {
    list.last_sequence = std::max(list.last_sequence, SequenceInKey(key));
    const Result<std::string> bytes = store.Get(key);
    const std::optional<CheckpointManifest> manifest = bytes.ok() ? Unseal(*bytes) : std::nullopt;
    if (manifest && manifest->format_version() > kFormatVersion) {
      return ErrorOf(key, " has format ", manifest->format_version(),
                     "; this Lapforge reads up to ", kFormatVersion,
                     ": use the newer one that wrote it");
    }
    if (manifest) {
      list.sound.push_back({key, *manifest});
    } else {
      (bytes.ok() ? list.damaged : list.unreadable).push_back(key);
    }
  }
  std::sort(list.sound.begin(), list.sound.end(), [](const auto& a, const auto& b) {
    return a.manifest.sequence() > b.manifest.sequence();
  });
  return list;
}

// Sessions so far; 0 for a new run.
uint32_t LastAttempt(const ManifestList& manifests) {
  uint32_t last = 0;
  for (const ManifestFile& file : manifests.sound) last = std::max(last, file.manifest.attempt());
  return last;
}

std::string BlobKey(const CheckpointManifest& manifest) {
  return kBlobPrefix + manifest.state_sha256();
}

// The state that belongs to a manifest, if it is there and whole.
std::optional<std::string> ReadState(storage::ObjectStore& store,
                                     const CheckpointManifest& manifest) {
  Result<std::string> state = store.Get(BlobKey(manifest));
  if (!state.ok() || storage::Sha256Hex(*state) != manifest.state_sha256()) return std::nullopt;
  return std::move(state).value();
}

// Everything that the newest `keep` manifests do not need goes; manifests first, so that none is
// ever without its blob. Blobs stay while a manifest cannot be read that may need them.
Result<void> Prune(storage::ObjectStore& store, int keep) {
  LAPFORGE_TRY(const ManifestList manifests, ReadManifests(store));
  std::set<std::string> needed;
  for (size_t i = 0; i < manifests.sound.size(); ++i) {
    const ManifestFile& file = manifests.sound[i];
    if (i < static_cast<size_t>(std::max(keep, 1))) {
      needed.insert(BlobKey(file.manifest));
    } else {
      LAPFORGE_CHECK_OK(store.Delete(file.key));
    }
  }
  for (const std::string& key : manifests.damaged) LAPFORGE_CHECK_OK(store.Delete(key));
  if (!manifests.unreadable.empty()) return {};
  LAPFORGE_TRY(const std::vector<std::string> blobs, store.List(kBlobPrefix));
  for (const std::string& key : blobs) {
    if (!needed.contains(key)) LAPFORGE_CHECK_OK(store.Delete(key));
  }
  return {};
}

}  // namespace

Result<void> CheckpointStore::Commit(const StoredCheckpoint& checkpoint, int keep) {
  LAPFORGE_TRY(const ManifestList older, ReadManifests(*store_));
  if (attempt_ == 0) attempt_ = LastAttempt(older) + 1;
  CheckpointManifest manifest;
  manifest.set_format_version(kFormatVersion);
  manifest.set_sequence(older.last_sequence + 1);
  manifest.set_parent(parent_);
  manifest.set_attempt(attempt_);
  manifest.set_iteration(checkpoint.iteration);
  manifest.set_state_sha256(storage::Sha256Hex(checkpoint.state));
  manifest.set_state_bytes(checkpoint.state.size());
  for (const LogLength& log : checkpoint.logs) {
    auto* const entry = manifest.add_logs();
    entry->set_file(log.file);
    entry->set_bytes(log.bytes);
  }
  const std::string sealed = Seal(manifest);
  const std::string key = ManifestKey(manifest, sealed);
  LAPFORGE_CHECK_OK(store_->Put(BlobKey(manifest), checkpoint.state));
  LAPFORGE_CHECK_OK(store_->Put(key, sealed));
  LAPFORGE_CHECK_OK(store_->Put(kLatestKey, key + "\n"));
  parent_ = key;

  // only what has been read back may replace what was there
  LAPFORGE_TRY(const std::string stored, store_->Get(key));
  if (stored != sealed || !ReadState(*store_, manifest)) {
    return ErrorOf("the checkpoint of iteration ", checkpoint.iteration,
                   " was written but reads back differently; older ones are kept");
  }
  return Prune(*store_, keep);
}

Result<std::optional<StoredCheckpoint>> CheckpointStore::Newest() {
  LAPFORGE_TRY(const ManifestList manifests, ReadManifests(*store_));
  if (attempt_ == 0) attempt_ = LastAttempt(manifests) + 1;
  for (const auto& keys : {manifests.damaged, manifests.unreadable}) {
    for (const std::string& key : keys) LogWarning(key, " is damaged: passed over");
  }
  for (const auto& [key, manifest] : manifests.sound) {
    std::optional<std::string> state = ReadState(*store_, manifest);
    if (!state) {
      LogWarning("the checkpoint of iteration ", manifest.iteration(), " is damaged (",
                 BlobKey(manifest), "): passed over");
      continue;
    }
    parent_ = key;
    StoredCheckpoint checkpoint{manifest.iteration(), *std::move(state), {}};
    for (const auto& log : manifest.logs()) checkpoint.logs.push_back({log.file(), log.bytes()});
    return std::optional(std::move(checkpoint));
  }
  if (manifests.size() == 0) return std::optional<StoredCheckpoint>();
  return ErrorOf(
      "none of the ", manifests.size(),
      " checkpoints is intact: bring back the folder 'checkpoints' from a copy, or start "
      "a new run");
}

}  // namespace lapforge::agents
