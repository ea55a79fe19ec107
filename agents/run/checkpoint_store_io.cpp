#include <algorithm>
#include <set>

#include "agents/proto/checkpoint.pb.h"
#include "agents/run/checkpoint_store.h"
#include "agents/storage/sha256.h"
#include "sim/base/crc32.h"
#include "sim/base/log.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

constexpr uint32_t kFormatVersion = 1;
constexpr char kManifestPrefix[] = "checkpoints/manifest-";
constexpr char kBlobPrefix[] = "checkpoints/blobs/";
constexpr char kLatestKey[] = "checkpoints/LATEST";

uint32_t CrcOf(std::string_view bytes) { return Crc32c(std::as_bytes(std::span(bytes))); }

std::string ManifestKey(int64_t iteration) {
  constexpr size_t kDigits = 12;
  const std::string number = std::to_string(iteration);
  const size_t num_zeros = kDigits - std::min(kDigits, number.size());
  return kManifestPrefix + std::string(num_zeros, '0') + number;
}

std::string Seal(const CheckpointManifest& manifest) {
  SealedManifest sealed;
  sealed.set_manifest(manifest.SerializeAsString());
  sealed.set_crc32c(CrcOf(sealed.manifest()));
  return sealed.SerializeAsString();
}

std::optional<CheckpointManifest> Unseal(const std::string& bytes) {
  SealedManifest sealed;
  CheckpointManifest manifest;
  const bool is_whole = sealed.ParseFromString(bytes) &&
                        sealed.crc32c() == CrcOf(sealed.manifest()) &&
                        manifest.ParseFromString(sealed.manifest()) &&
                        manifest.format_version() > 0;  // an empty file parses too
  if (!is_whole) return std::nullopt;
  return manifest;
}

// What the store holds, sorted out.
struct ManifestList {
  std::vector<CheckpointManifest> sound;  // newest first
  std::vector<std::string> damaged;       // keys
  std::vector<std::string> unreadable;    // keys; they may be readable again later
};

Result<ManifestList> ReadManifests(storage::ObjectStore& store) {
  ManifestList list;
  LAPFORGE_TRY(const std::vector<std::string> keys, store.List(kManifestPrefix));
  for (const std::string& key : keys) {
    const Result<std::string> bytes = store.Get(key);
    const std::optional<CheckpointManifest> manifest = bytes.ok() ? Unseal(*bytes) : std::nullopt;
    if (manifest) {
      list.sound.push_back(*manifest);
    } else {
      (bytes.ok() ? list.damaged : list.unreadable).push_back(key);
    }
  }
  std::sort(list.sound.begin(), list.sound.end(),
            [](const auto& a, const auto& b) { return a.iteration() > b.iteration(); });
  return list;
}

std::string BlobKey(const CheckpointManifest& manifest) {
  return kBlobPrefix + manifest.state_sha256();
}

// Everything that the newest `keep` manifests do not need goes; manifests first, so that none is
// ever without its blob. Blobs stay while a manifest cannot be read that may need them.
Result<void> Prune(storage::ObjectStore& store, int keep) {
  LAPFORGE_TRY(const ManifestList manifests, ReadManifests(store));
  std::set<std::string> needed;
  for (size_t i = 0; i < manifests.sound.size(); ++i) {
    if (i < size_t(keep)) {
      needed.insert(BlobKey(manifests.sound[i]));
    } else {
      LAPFORGE_CHECK_OK(store.Delete(ManifestKey(manifests.sound[i].iteration())));
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

Result<void> CommitCheckpoint(storage::ObjectStore& store, const StoredCheckpoint& checkpoint,
                              int keep) {
  CheckpointManifest manifest;
  manifest.set_format_version(kFormatVersion);
  manifest.set_iteration(checkpoint.iteration);
  manifest.set_state_sha256(storage::Sha256Hex(checkpoint.state));
  manifest.set_state_bytes(checkpoint.state.size());
  for (const LogLength& log : checkpoint.logs) {
    auto* const entry = manifest.add_logs();
    entry->set_file(log.file);
    entry->set_bytes(log.bytes);
  }
  const std::string key = ManifestKey(checkpoint.iteration);
  LAPFORGE_CHECK_OK(store.Put(BlobKey(manifest), checkpoint.state));
  LAPFORGE_CHECK_OK(store.Put(key, Seal(manifest)));
  LAPFORGE_CHECK_OK(store.Put(kLatestKey, key + "\n"));
  return Prune(store, keep);
}

Result<std::optional<StoredCheckpoint>> NewestCheckpoint(storage::ObjectStore& store) {
  LAPFORGE_TRY(const ManifestList manifests, ReadManifests(store));
  for (const auto& keys : {manifests.damaged, manifests.unreadable}) {
    for (const std::string& key : keys) {
      LogWarning(key, " is damaged; an older checkpoint is used instead");
    }
  }
  for (const CheckpointManifest& manifest : manifests.sound) {
    if (manifest.format_version() > kFormatVersion) {
      return ErrorOf("the checkpoint of iteration ", manifest.iteration(), " has format ",
                     manifest.format_version(), "; this Lapforge reads up to ", kFormatVersion,
                     ": use the newer one that wrote it");
    }
    Result<std::string> state = store.Get(BlobKey(manifest));
    if (!state.ok() || storage::Sha256Hex(*state) != manifest.state_sha256()) {
      LogWarning("the checkpoint of iteration ", manifest.iteration(),
                 " is damaged; an older one is used instead");
      continue;
    }
    StoredCheckpoint checkpoint{manifest.iteration(), std::move(*state), {}};
    for (const auto& log : manifest.logs()) checkpoint.logs.push_back({log.file(), log.bytes()});
    return std::optional(std::move(checkpoint));
  }
  return std::optional<StoredCheckpoint>();
}

}  // namespace lapforge::agents
