// Tests the store in a folder: whole objects, create-once, listing, keys.
#include "agents/storage/object_store.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/base/temporary_folder.h"

using namespace lapforge;
using storage::ObjectStore;
using storage::OpenStore;

namespace {

std::unique_ptr<ObjectStore> StoreIn(const std::filesystem::path& folder) {
  return OpenStore(folder.string()).value();
}

}  // namespace

TEST_CASE("What is put is got, and a second put replaces it") {
  const TemporaryFolder folder;
  const auto store = StoreIn(folder.path() / "new" / "root");
  REQUIRE(store->Put("a/b", std::string("one\0two", 7)).ok());
  CHECK(store->Get("a/b").value() == std::string("one\0two", 7));
  REQUIRE(store->Put("a/b", "").ok());
  CHECK(store->Get("a/b").value().empty());
  CHECK(store->Exists("a/b").value());
  CHECK_FALSE(store->Exists("a").value());
  CHECK_FALSE(store->Get("a/c").ok());
}

TEST_CASE("The file scheme and a plain path are the same store; other schemes are refused") {
  const TemporaryFolder folder;
  REQUIRE(StoreIn(folder.path())->Put("k", "v").ok());
  CHECK(OpenStore("file://" + folder.path().string()).value()->Get("k").value() == "v");
  CHECK(OpenStore("s3://bucket/x").error().message ==
        "cannot open the store 's3://bucket/x': only folders and file:// work yet");
}

TEST_CASE("Of eight writers that create one key, one succeeds and its bytes stay") {
  const TemporaryFolder folder;
  for (int round = 0; round < 20; ++round) {
    const std::string key = "round" + std::to_string(round);
    std::vector<int> made(8, 0);
    std::vector<std::thread> writers;
    for (size_t i = 0; i < made.size(); ++i) {
      writers.emplace_back([&, i] {
        const auto store = StoreIn(folder.path());
        made[i] = store->PutIfAbsent(key, std::string(1000, static_cast<char>('a' + i))).value();
      });
    }
    for (std::thread& writer : writers) writer.join();
    CHECK(std::count(made.begin(), made.end(), 1) == 1);
    const size_t winner = size_t(std::find(made.begin(), made.end(), 1) - made.begin());
    CHECK(StoreIn(folder.path())->Get(key).value() ==
          std::string(1000, static_cast<char>('a' + winner)));
  }
}

TEST_CASE("Listing is sorted, by prefix, and without what crashes left behind") {
  const TemporaryFolder folder;
  const auto store = StoreIn(folder.path());
  CHECK(store->List("").value().empty());
  for (const char* key : {"b", "a/2", "a/1", "ab"}) REQUIRE(store->Put(key, "x").ok());
  std::ofstream(folder.path() / "a" / ".lapforge-tmp-1-0") << "half";
  CHECK(store->List("").value() == std::vector<std::string>{"a/1", "a/2", "ab", "b"});
  CHECK(store->List("a/").value() == std::vector<std::string>{"a/1", "a/2"});
  REQUIRE(store->Delete("a/1").ok());
  REQUIRE(store->Delete("a/1").ok());
  CHECK(store->List("a/").value() == std::vector<std::string>{"a/2"});
}

TEST_CASE("Keys cannot leave the store") {
  const TemporaryFolder folder;
  const auto store = StoreIn(folder.path() / "root");
  for (const char* key : {"", "/etc/x", "../x", "a/../../x", "a//b", "./a", "a/"}) {
    CAPTURE(key);
    CHECK_FALSE(store->Put(key, "x").ok());
    CHECK_FALSE(store->PutIfAbsent(key, "x").ok());
    CHECK_FALSE(store->Get(key).ok());
    CHECK_FALSE(store->Delete(key).ok());
  }
}
