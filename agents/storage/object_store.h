// Named blobs that are whole or absent: in a folder now; the same interface serves S3.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"

namespace lapforge::storage {

// Keys are relative paths with '/' ("checkpoints/LATEST"), without "." or ".." parts. Calls block
// until the bytes are durable. One thread at a time.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  // Makes or replaces an object; after a crash it is the old or the new one, nothing else.
  virtual Result<void> Put(const std::string& key, std::string_view bytes) = 0;
  // Makes an object unless there is one: true when it was made, of several writers by exactly one.
  virtual Result<bool> PutIfAbsent(const std::string& key, std::string_view bytes) = 0;
  // The whole object.
  virtual Result<std::string> Get(const std::string& key) = 0;
  virtual Result<bool> Exists(const std::string& key) = 0;
  // Keys that begin with `prefix`, sorted; those of half-written objects never appear.
  virtual Result<std::vector<std::string>> List(const std::string& prefix) = 0;
  // Success also when there is none.
  virtual Result<void> Delete(const std::string& key) = 0;
};

// A store in a folder, which is made with the first Put: "file:///path" or a plain path. Other
// schemes are an error that says so.
Result<std::unique_ptr<ObjectStore>> OpenStore(const std::string& address);

}  // namespace lapforge::storage
