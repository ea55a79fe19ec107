#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "agents/storage/object_store.h"
#include "sim/base/file_io.h"
#include "sim/base/strings.h"

namespace lapforge::storage {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxObjectBytes = size_t{4} << 30;  // larger than any checkpoint here

Result<void> CheckKey(const std::string& key) {
  for (const std::string_view part : Split(key, '/')) {
    if (part.empty() || part == "." || part == ".." || part.find('\0') != part.npos) {
      return ErrorOf("bad object key '", key, "': expected names joined by '/'");
    }
  }
  return {};
}

class FileStore : public ObjectStore {
 public:
  explicit FileStore(fs::path root) : root_(std::move(root)) {}

  Result<void> Put(const std::string& key, std::string_view bytes) override {
    LAPFORGE_TRY(const fs::path path, PathToWrite(key));
    return WriteFileAtomic(path, bytes);
  }

  Result<bool> PutIfAbsent(const std::string& key, std::string_view bytes) override {
    LAPFORGE_TRY(const fs::path path, PathToWrite(key));
    return CreateFileAtomic(path, bytes);
  }

  Result<std::string> Get(const std::string& key) override {
    LAPFORGE_CHECK_OK(CheckKey(key));
    return ReadFile(root_ / key, kMaxObjectBytes);
  }

  Result<bool> Exists(const std::string& key) override {
    LAPFORGE_CHECK_OK(CheckKey(key));
    std::error_code error;
    return fs::is_regular_file(root_ / key, error);
  }

  Result<std::vector<std::string>> List(const std::string& prefix) override {
    std::vector<std::string> keys;
    std::error_code error;
    if (!fs::exists(root_, error)) return keys;
    auto entry = fs::recursive_directory_iterator(root_, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      const std::string key = entry->path().lexically_relative(root_).generic_string();
      const bool is_whole = !StartsWith(entry->path().filename().string(), kTemporaryPrefix);
      std::error_code gone;  // deleted meanwhile: not listed
      if (is_whole && entry->is_regular_file(gone) && StartsWith(key, prefix)) keys.push_back(key);
    }
    if (error) return ErrorOf("cannot list '", root_, "': ", error.message());
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  Result<void> Delete(const std::string& key) override {
    LAPFORGE_CHECK_OK(CheckKey(key));
    std::error_code error;
    fs::remove(root_ / key, error);
    if (error) return ErrorOf("cannot delete '", root_ / key, "': ", error.message());
    return {};
  }

 private:
  Result<fs::path> PathToWrite(const std::string& key) {
    LAPFORGE_CHECK_OK(CheckKey(key));
    const fs::path path = root_ / key;
    LAPFORGE_CHECK_OK(MakeFolders(path.parent_path()));
    return path;
  }

  fs::path root_;
};

}  // namespace

Result<std::unique_ptr<ObjectStore>> OpenStore(const std::string& address) {
  constexpr std::string_view kFileScheme = "file://";
  const size_t scheme_end = address.find("://");
  if (StartsWith(address, kFileScheme)) {
    return std::unique_ptr<ObjectStore>(
        std::make_unique<FileStore>(address.substr(kFileScheme.size())));
  }
  if (scheme_end != address.npos) {
    return ErrorOf("cannot open the store '", address, "': only folders and file:// work yet");
  }
  return std::unique_ptr<ObjectStore>(std::make_unique<FileStore>(address));
}

}  // namespace lapforge::storage
