#include "sim/base/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <system_error>

namespace lapforge {
namespace {

namespace fs = std::filesystem;

Error FileError(std::string_view failed_action, const fs::path& path, int error_number) {
  return ErrorOf("cannot ", failed_action, " '", path,
                 "': ", std::generic_category().message(error_number));
}

// An open() that a signal does not interrupt.
FileDescriptor OpenFile(const fs::path& path, int flags) {
  int fd;
  do {
    fd = open(path.c_str(), flags | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EINTR);
  return FileDescriptor(fd);
}

// True when all bytes are written; otherwise errno says why.
bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t num_written = write(fd, bytes.data(), bytes.size());
    if (num_written < 0 && errno == EINTR) continue;
    if (num_written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(num_written));
  }
  return true;
}

std::string_view KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISFIFO(mode)) return "it is a pipe";
  if (S_ISSOCK(mode)) return "it is a socket";
  return "it is a device";
}

// The regular file that `path` stands for, behind all links; it need not exist yet.
Result<fs::path> TargetOf(const fs::path& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return path;
    return FileError("write", path, errno);
  }
  const bool is_link = S_ISLNK(status.st_mode);
  if (is_link && stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return ErrorOf("cannot write '", path, "': it is a link to nothing");
    return FileError("write", path, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return ErrorOf("cannot write '", path, "': ", KindOf(status.st_mode));
  }
  if (!is_link) return path;
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  if (error) return FileError("write", path, error.value());
  return target;
}

// Names that a signal handler may have to remove. A fixed list: a handler must not allocate.
struct ListedName {
  std::atomic<pid_t> owner = 0;  // a copy of the process (fork) has nothing to remove
  char path[PATH_MAX] = {};
};
constexpr int kMaxTemporaries = 32;  // a few threads, one or two each; more are not listed
constexpr int kNotListed = -1;
std::array<ListedName, kMaxTemporaries> listed_names;

int ListTemporary(const fs::path& path) {
  if (path.native().size() >= PATH_MAX) return kNotListed;  // nobody can make it
  for (int i = 0; i < kMaxTemporaries; ++i) {
    constexpr pid_t kTaken = -1;
    pid_t nobody = 0;
    ListedName& name = listed_names[static_cast<size_t>(i)];
    if (!name.owner.compare_exchange_strong(nobody, kTaken)) continue;
    std::strcpy(name.path, path.c_str());
    name.owner = getpid();
    return i;
  }
  return kNotListed;
}

// A name that no other temporary of this process has, and no file.
fs::path NewName(const fs::path& path, const std::string& extension) {
  static std::atomic<int> number = 0;
  for (;;) {
    const fs::path name =
        path.parent_path() / StrCat(kTemporaryPrefix, getpid(), "-", number++, extension);
    struct stat status {};
    if (lstat(name.c_str(), &status) != 0) return name;
  }
}

// Writes and flushes the file of a new name beside `path`.
Result<void> WriteTemporary(const TemporaryFile& temporary, const fs::path& path,
                            std::string_view bytes) {
  const FileDescriptor file = OpenFile(temporary.path(), O_WRONLY | O_CREAT | O_EXCL);
  const bool is_written = file.is_open() && WriteAll(file.get(), bytes) && fsync(file.get()) == 0;
  return is_written ? Result<void>() : FileError("write", path, errno);
}

// Makes a new name in the folder of `path` durable. Some file systems cannot flush folders and say
// EINVAL.
Result<void> SyncFolderOf(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const FileDescriptor file = OpenFile(folder, O_RDONLY | O_DIRECTORY);
  if (file.is_open() && (fsync(file.get()) == 0 || errno == EINVAL)) return {};
  return FileError("flush the folder of", path, errno);
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (is_open()) close(fd_);
}

Result<std::string> ReadFile(const fs::path& path, size_t max_bytes) {
  // without O_NONBLOCK, opening a pipe would wait for a writer
  const FileDescriptor file = OpenFile(path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0) return FileError("read", path, errno);
  if (!S_ISREG(status.st_mode))
    return ErrorOf("cannot read '", path, "': ", KindOf(status.st_mode));

  // one byte more than allowed, in case it grows while we read or tells no size
  std::string bytes;
  const size_t told_size = static_cast<size_t>(status.st_size);
  const size_t limit = max_bytes + 1;
  while (bytes.size() < limit) {
    constexpr size_t kMinRead = 4096;
    const size_t old_size = bytes.size();
    const size_t wanted = std::max(kMinRead, told_size - std::min(told_size, old_size) + 1);
    bytes.resize(std::min(limit, old_size + wanted));
    const ssize_t num_read = read(file.get(), bytes.data() + old_size, bytes.size() - old_size);
    if (num_read < 0 && errno != EINTR) return FileError("read", path, errno);
    bytes.resize(old_size + static_cast<size_t>(std::max<ssize_t>(num_read, 0)));
    if (num_read == 0) return bytes;
  }
  return ErrorOf("cannot read '", path, "': it is larger than ", max_bytes, " bytes");
}

Result<void> WriteFileAtomic(const fs::path& path, std::string_view bytes) {
  LAPFORGE_TRY(const fs::path target, TargetOf(path));
  TemporaryFile temporary(target);
  LAPFORGE_CHECK_OK(WriteTemporary(temporary, target, bytes));
  if (rename(temporary.path().c_str(), target.c_str()) != 0) {
    return FileError("write", path, errno);
  }
  temporary.Release();
  return SyncFolderOf(target);
}

Result<bool> CreateFileAtomic(const fs::path& path, std::string_view bytes) {
  LAPFORGE_CHECK_OK(TargetOf(path));
  const TemporaryFile temporary(path);
  LAPFORGE_CHECK_OK(WriteTemporary(temporary, path, bytes));

  // unlike a rename, a link never replaces
  const int error_number = link(temporary.path().c_str(), path.c_str()) == 0 ? 0 : errno;
  if (error_number == EEXIST) return false;
  if (error_number != 0) return FileError("write", path, error_number);
  LAPFORGE_CHECK_OK(SyncFolderOf(path));
  return true;
}

Result<void> CheckWritable(const fs::path& path) {
  LAPFORGE_TRY(const fs::path target, TargetOf(path));
  const TemporaryFile temporary(target);
  const FileDescriptor file = OpenFile(temporary.path(), O_WRONLY | O_CREAT | O_EXCL);
  return file.is_open() ? Result<void>() : FileError("write", path, errno);
}

TemporaryFile::TemporaryFile(const fs::path& path, const std::string& extension)
    : path_(NewName(path, extension)), slot_(ListTemporary(path_)) {}

TemporaryFile::~TemporaryFile() {
  if (path_.empty()) return;
  unlink(path_.c_str());
  Release();
}

void TemporaryFile::Release() {
  path_.clear();
  if (slot_ != kNotListed) listed_names[static_cast<size_t>(slot_)].owner = 0;
  slot_ = kNotListed;
}

void RemoveTemporaries() {
  for (const ListedName& name : listed_names) {
    if (name.owner == getpid()) unlink(name.path);
  }
}

Result<void> MakeFolders(const fs::path& path) {
  std::error_code ignored;
  if (path.empty() || fs::is_directory(path, ignored)) return {};
  LAPFORGE_CHECK_OK(MakeFolders(path.parent_path()));
  if (mkdir(path.c_str(), 0777) == 0) return SyncFolderOf(path);

  // somebody else may have made it meanwhile
  const int error_number = errno;
  if (fs::is_directory(path, ignored)) return {};
  return FileError("make the folder", path, error_number);
}

Result<AppendFile> AppendFile::Open(const fs::path& path) {
  LAPFORGE_CHECK_OK(TargetOf(path));
  FileDescriptor file = OpenFile(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK);
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0) return FileError("write", path, errno);
  if (!S_ISREG(status.st_mode))
    return ErrorOf("cannot write '", path, "': ", KindOf(status.st_mode));
  return AppendFile(path, std::move(file), static_cast<uint64_t>(status.st_size));
}

Result<void> AppendFile::Append(std::string_view bytes) {
  if (!WriteAll(file_.get(), bytes)) {
    const int error_number = errno;
    // half a record must not stay; should this fail too, the first error says enough
    [[maybe_unused]] const int cut = ftruncate(file_.get(), static_cast<off_t>(size_));
    return FileError("write", path_, error_number);
  }
  size_ += bytes.size();
  return {};
}

Result<void> AppendFile::Sync() {
  if (fsync(file_.get()) != 0) return FileError("flush", path_, errno);
  return {};
}

Result<void> AppendFile::Truncate(uint64_t offset) {
  if (offset > size_) {
    return ErrorOf("cannot cut '", path_, "' back to ", offset, " bytes: it has only ", size_);
  }
  if (ftruncate(file_.get(), static_cast<off_t>(offset)) != 0) {
    return FileError("cut", path_, errno);
  }
  size_ = offset;
  return {};
}

}  // namespace lapforge
