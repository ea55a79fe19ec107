// Tests that a checkpoint is the old or the new one whatever fails, and that damage is stepped
// over.
#include "agents/run/checkpoint_store.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "sim/base/file_io.h"
#include "sim/base/log.h"
#include "tests/base/temporary_folder.h"

using namespace lapforge;
using namespace lapforge::agents;
using storage::ObjectStore;

namespace {

// Passes calls on until `num_left` of them are done; later ones fail and do nothing, as when the
// process was killed there. A put may be half done: its temporary stays.
class DyingStore : public ObjectStore {
 public:
  DyingStore(ObjectStore* store, int num_left) : store_(store), num_left_(num_left) {}
  Result<void> Put(const std::string& key, std::string_view bytes) override {
    return Dies() ? Result<void>(Dead()) : store_->Put(key, bytes);
  }
  Result<bool> PutIfAbsent(const std::string& key, std::string_view bytes) override {
    return Dies() ? Result<bool>(Dead()) : store_->PutIfAbsent(key, bytes);
  }
  Result<std::string> Get(const std::string& key) override {
    return Dies() ? Result<std::string>(Dead()) : store_->Get(key);
  }
  Result<bool> Exists(const std::string& key) override {
    return Dies() ? Result<bool>(Dead()) : store_->Exists(key);
  }
  Result<std::vector<std::string>> List(const std::string& prefix) override {
    return Dies() ? Result<std::vector<std::string>>(Dead()) : store_->List(prefix);
  }
  Result<void> Delete(const std::string& key) override {
    return Dies() ? Result<void>(Dead()) : store_->Delete(key);
  }

 private:
  bool Dies() { return num_left_-- <= 0; }
  static Error Dead() { return {"dead"}; }
  ObjectStore* store_;
  int num_left_;
};

// Cannot read one object, as from a bad sector.
class FailingGet : public DyingStore {
 public:
  FailingGet(ObjectStore* store, std::string key) : DyingStore(store, 1000), key_(std::move(key)) {}
  Result<std::string> Get(const std::string& key) override {
    return key == key_ ? Result<std::string>(Error{"Input/output error"}) : DyingStore::Get(key);
  }

 private:
  std::string key_;
};

StoredCheckpoint CheckpointOf(int64_t iteration) {
  return {iteration,
          "state of " + std::to_string(iteration) + std::string(5000, 'x'),
          {{"metrics.csv", uint64_t(iteration) * 10}}};
}

// As separate sessions of a run do it.
Result<void> Commit(ObjectStore& store, const StoredCheckpoint& checkpoint, int keep) {
  return CheckpointStore(&store).Commit(checkpoint, keep);
}
Result<std::optional<StoredCheckpoint>> Newest(ObjectStore& store) {
  return CheckpointStore(&store).Newest();
}

void RequireIs(const Result<std::optional<StoredCheckpoint>>& found, int64_t iteration) {
  REQUIRE(found.ok());
  REQUIRE(found->has_value());
  const StoredCheckpoint wanted = CheckpointOf(iteration);
  CHECK((*found)->iteration == wanted.iteration);
  CHECK((*found)->state == wanted.state);
  REQUIRE((*found)->logs.size() == 1);
  CHECK((*found)->logs[0].bytes == wanted.logs[0].bytes);
}

// Damages one file: cut at `offset`, or its byte there flipped.
enum class Damage { kCut, kFlip };
void DamageFile(const std::filesystem::path& path, size_t offset, Damage damage) {
  std::string bytes = ReadFile(path).value();
  if (damage == Damage::kCut) {
    bytes.resize(offset);
  } else {
    bytes[offset] = static_cast<char>(bytes[offset] ^ 0x40);
  }
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("An empty store has no checkpoint; the newest of several is found; old ones go") {
  const TemporaryFolder folder;
  const auto store = storage::OpenStore(folder.path().string()).value();
  CHECK_FALSE(Newest(*store).value().has_value());
  for (int64_t i = 1; i <= 12; ++i) {
    REQUIRE(Commit(*store, CheckpointOf(i), 3).ok());
    RequireIs(Newest(*store), i);
  }
  CHECK(store->List("checkpoints/manifests/").value().size() == 3);
  CHECK(store->List("checkpoints/blobs/").value().size() == 3);
  const std::string latest = store->Get("checkpoints/LATEST").value();
  CHECK(store->Exists(latest.substr(0, latest.size() - 1)).value());
}

TEST_CASE("A commit that dies at any operation leaves the old or the new checkpoint") {
  bool has_finished = false;
  for (int num_operations = 0; !has_finished; ++num_operations) {
    const TemporaryFolder folder;
    const auto store = storage::OpenStore(folder.path().string()).value();
    for (int64_t i = 1; i <= 3; ++i) REQUIRE(Commit(*store, CheckpointOf(i), 2).ok());
    DyingStore dying(store.get(), num_operations);
    has_finished = Commit(dying, CheckpointOf(4), 2).ok();
    CAPTURE(num_operations);
    const auto found = Newest(*store);
    REQUIRE(found.ok());
    RequireIs(found, (*found)->iteration == 4 ? 4 : 3);
    if (has_finished) CHECK((*found)->iteration == 4);

    // and the next commit works as ever
    REQUIRE(Commit(*store, CheckpointOf(5), 2).ok());
    RequireIs(Newest(*store), 5);
    CHECK(store->List("checkpoints/manifests/").value().size() == 2);
    CHECK(store->List("checkpoints/blobs/").value().size() == 2);
    REQUIRE(num_operations < 100);
  }
}

TEST_CASE("A cut or flipped file is stepped over and named") {
  for (const char* prefix : {"checkpoints/manifests/", "checkpoints/blobs/"}) {
    for (const Damage damage : {Damage::kCut, Damage::kFlip}) {
      const TemporaryFolder folder;
      const auto store = storage::OpenStore(folder.path().string()).value();
      REQUIRE(Commit(*store, CheckpointOf(1), 5).ok());
      const auto before = store->List(prefix).value();
      REQUIRE(Commit(*store, CheckpointOf(2), 5).ok());
      std::string newest;
      for (const std::string& key : store->List(prefix).value()) {
        if (std::find(before.begin(), before.end(), key) == before.end()) newest = key;
      }
      const std::string whole = store->Get(newest).value();
      std::vector<std::string> warnings;
      SetLogSink([&](LogLevel, std::string_view line) { warnings.emplace_back(line); });
      for (size_t offset = 0; offset < whole.size(); offset += 97) {
        CAPTURE(newest, offset);
        DamageFile(folder.path() / newest, offset, damage);
        warnings.clear();
        RequireIs(Newest(*store), 1);
        CHECK(warnings.size() == 1);
        REQUIRE(store->Put(newest, whole).ok());
      }
      SetLogSink({});
      RequireIs(Newest(*store), 2);
    }
  }
}

TEST_CASE("A commit beside a manifest that cannot be read just then is still the newest") {
  const TemporaryFolder folder;
  const auto store = storage::OpenStore(folder.path().string()).value();
  REQUIRE(Commit(*store, CheckpointOf(5), 1).ok());
  const std::string key = store->List("checkpoints/manifests/").value().at(0);
  FailingGet failing(store.get(), key);
  REQUIRE(Commit(failing, CheckpointOf(4), 1).ok());
  RequireIs(Newest(*store), 4);
}
